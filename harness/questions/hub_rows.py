"""Rows of a public data set, from the Hugging Face hub at a pinned revision or from a local copy.

    {"question": "Janet’s ducks lay 16 eggs per day. ...", "answer": "... #### 18"}            openai/gsm8k
    {"problem": "What is ...?", "level": "Level 1", "type": "Algebra", ...}    EleutherAI/hendrycks_math
    {"problem": "What is ...?", "level": 1, "subject": "Algebra", ...}         HuggingFaceH4/MATH-500

A revision never changes, so files in the local cache are used without a request to the hub.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import reason
from results import BadInput
from results.tables.columns import check_unique
from results.tables.files import read_raw

SourceRow = dict[str, Any]

HUB_TIMEOUT = 10.0
"""Seconds to wait for the hub's first reply."""


@dataclass(frozen=True)
class HubDataset:
    """A data set's test split on the hub; the rows of `configs` are concatenated in this order."""

    repository: str
    revision: str
    configs: tuple[str, ...]
    rows: int


GSM8K = HubDataset("openai/gsm8k", "740312add88f781978c0658806c59bc2815b9866", ("main",), rows=1319)
MATH = HubDataset(
    "EleutherAI/hendrycks_math",
    "21a5633873b6a120296cce3e2df9d5550074f4a3",
    (
        *("algebra", "counting_and_probability", "geometry", "intermediate_algebra"),
        *("number_theory", "prealgebra", "precalculus"),
    ),
    rows=5000,
)

MATH_500 = HubDataset(
    "HuggingFaceH4/MATH-500", "6e4ed1a2a79af7d8630a6b768ec859cb5af4d3be", ("default",), rows=500
)


def dataset_rows(source: HubDataset, file: Path | None) -> list[SourceRow]:
    """All rows of the test split, from `file` if given. Raises BadInput if their number is wrong."""
    rows = file_rows(file) if file else hub_rows(source)
    if len(rows) != source.rows:
        where = file or source.repository
        others = ": other questions take the place of its name (--set dataset=FILE, make QUESTIONS=FILE)"
        hint = others if file else ""
        raise BadInput(
            f"{where}: {len(rows)} rows, expected the {source.rows} of {source.repository}'s test split{hint}"
        )
    return rows


def file_rows(file: Path) -> list[SourceRow]:
    """The rows of a CSV, JSONL or Parquet file. Raises BadInput."""
    frame = read_raw(file, ("question_id", "question", "problem", "answer", "gold", "labels"))
    check_unique(frame, file)
    if frame.empty:
        raise BadInput(f"{file}: no questions in it")
    return [{str(key): cell for key, cell in row.items()} for row in frame.to_dict("records")]


def hub_rows(source: HubDataset) -> list[SourceRow]:
    """The test split from the hub's files, which are downloaded once. Raises BadInput if that fails."""
    import datasets
    import httpx
    from datasets.exceptions import DatasetsError

    try:
        folder = _download(source)
        parts = (datasets.load_dataset(folder, config, split="test") for config in source.configs)
        return [row for part in parts for row in part]
    except (httpx.HTTPError, OSError, ValueError, DatasetsError) as error:
        raise BadInput(
            f"cannot get {source.repository} from the Hugging Face hub ({reason(error)}): "
            "try again, or give a local file of the same rows: --set file=FILE to tts sample, --file FILE to "
            "tts questions, FILE= to make; or other questions: --set dataset=FILE"
        ) from None


def _download(source: HubDataset) -> str:
    """The cache folder of the pinned revision, which is downloaded if it is not there yet."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    which: dict[str, Any] = {"repo_type": "dataset", "revision": source.revision}
    which["allow_patterns"] = ["README.md", "*.parquet", "*.jsonl"]
    try:
        return str(snapshot_download(source.repository, **which, local_files_only=True))
    except LocalEntryNotFoundError:
        if trouble := hub_trouble(source.repository, source.revision, "dataset"):
            raise OSError(trouble) from None
        return str(snapshot_download(source.repository, **which))


def hub_trouble(repository: str, revision: str | None, kind: str = "model") -> str:
    """The reason why a model or data set is not available on the hub; "" if it is.

    The only request with a time limit and without retries, so it is made before all others.
    """
    import httpx
    from huggingface_hub import HfApi

    try:
        HfApi().repo_info(repository, repo_type=kind, revision=revision, timeout=HUB_TIMEOUT)
    except (httpx.HTTPError, OSError, ValueError) as error:
        return reason(error)
    return ""
