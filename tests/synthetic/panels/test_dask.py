"""A sweep on a Dask cluster gives the numbers of one process (skipped without Dask)."""

import joblib
import pandas as pd
import pytest

from synthetic.panels.experiments import EXPERIMENTS
from synthetic.panels.overrides import swept
from synthetic.panels.running import run_experiment

distributed = pytest.importorskip("distributed", reason="needs dask and distributed")


@pytest.mark.integration  # many seconds
@pytest.mark.filterwarnings("ignore:.*apply_async:DeprecationWarning")  # joblib's own
def test_a_sweep_on_a_local_dask_cluster_changes_no_number():
    experiment = swept(EXPERIMENTS["fig2f"], "d=3,5,8")
    alone = run_experiment("fig2f", experiment, repeats=2, tasks=6)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
        joblib.parallel_config(backend="dask"),
    ):
        shared = run_experiment("fig2f", experiment, repeats=2, tasks=6, jobs=2)
        moves = client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.transition_counter)
    assert moves >= 3 * 2 * 3  # three lines of two blocks each, every one at least queued, run and kept
    pd.testing.assert_frame_equal(alone.curves, shared.curves, rtol=1e-12)
