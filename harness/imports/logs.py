"""What the logs of lm-eval and inspect_ai need alike: a choice of filter or scorer, and of a setting."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from results import BadInput


def chosen(
    file: Path, kind: str, names: Sequence[str], asked: str | None, hint: str = "or use --grade"
) -> str:
    """Which of the `names` of a log's filters or scorers (`kind`) to use. Raises BadInput if that is open."""
    if asked is not None and asked not in names:
        raise BadInput(f"{file}: no {kind} {asked!r}, only {', '.join(names) or '(none)'}")
    if asked is None and len(names) > 1:
        raise BadInput(f"{file}: several {kind}s ({', '.join(names)}): choose one with --{kind}, {hint}")
    return asked or names[0]


def setting_value(file: Path, settings: Mapping[str, Any], name: str | None) -> str:
    """The column `setting`: the value of the setting `name`, or `default` without a name. Raises BadInput."""
    if name is None:
        return "default"
    if settings.get(name) is None:
        raise BadInput(f"{file}: no setting {name!r}, found {', '.join(settings) or 'none'}")
    return str(settings[name])
