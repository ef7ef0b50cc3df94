"""The figure of studies/judges: one model's answers chosen in four ways, on GSM8K and on MATH.

python -m studies.judges.run
"""

from pathlib import Path

from results import read_curves
from results.figures.along_n import judged_figure
from results.pictures import Picture, save_figures
from results.summary.panels import make_panels

HERE = Path(__file__).resolve().parent
CACHED = HERE.parents[1] / "results" / "cached"


def main() -> None:
    """Draw the curves that ship side by side."""
    figures = [
        judged_figure(make_panels(read_curves(CACHED / f"int8-{name}.csv"))) for name in ("gsm8k", "math")
    ]
    save_figures("Judges", [[one for one in figures if one]], Picture(HERE / "judged.svg"))


if __name__ == "__main__":
    main()
