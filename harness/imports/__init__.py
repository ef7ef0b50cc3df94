"""Answers that were sampled elsewhere, as a samples table: plain tables and the logs of other tools."""

from harness.imports.checks import with_tokens
from harness.imports.columns import Imported, import_table
from harness.imports.inspect_ai_log import import_inspect_ai
from harness.imports.lm_eval import import_lm_eval

__all__ = [
    "Imported",
    "import_inspect_ai",
    "import_lm_eval",
    "import_table",
    "with_tokens",
]
