"""What a server counts of its own work: a slow engine is told from one that has stopped.

>>> tokens_generated('vllm:generation_tokens_total{engine="0"} 40.0\\nvllm:generation_tokens_total 2e1')
60.0
"""

import re

METRICS = ("/metrics", "/engine_metrics")
"""Where a server has its counts in Prometheus' format, and SGLang's gateway those of its servers."""
# SGLang's generation_tokens_total counts answers that have ended; realtime_tokens_total counts as it goes.
_GENERATED = (
    "(?:sglang|vllm):generation_tokens_total|llamacpp:tokens_predicted_total"
    r'|sglang:realtime_tokens_total\{[^}]*mode="decode"[^}]*\}'
)


def total(counters: str, metrics: str) -> float | None:
    """The sum over all ranks and servers of what is counted under a name that matches; None without any."""
    cells = re.findall(rf"^(?:{counters}).* (\S+)$", metrics, re.MULTILINE)
    try:
        return sum(map(float, cells)) if cells else None
    except ValueError:
        return None


def tokens_generated(metrics: str) -> float | None:
    """The sum of all counts of generated tokens in `metrics`; None where there is none.

    Only its rise means something: two counters of one server are both in it.
    """
    return total(_GENERATED, metrics)
