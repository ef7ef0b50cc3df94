"""Every predictor by the name the command line knows it by."""

from predict.beta_binomial import beta_binomial
from predict.curve_predictors import CURVE_PREDICTORS
from predict.joint import joint
from predict.mixture import mixture
from predict.plug_in import plug_in
from predict.protocol import Predictor

PREDICTORS: dict[str, Predictor] = {
    **CURVE_PREDICTORS,
    "joint": joint,
    "beta-binomial": beta_binomial,
    "plug-in": plug_in,
    "mixture": mixture,
}

NEED_SAMPLES = ("beta-binomial", "plug-in")
"""What these know of a question cannot be read from a curve."""

BEST_OF_N_ONLY = ("beta-binomial",)


def able(method: str, samples: bool) -> list[str]:
    """The predictors that can forecast `method` from samples, or from curves alone."""
    return [
        name
        for name in PREDICTORS
        if (samples or name not in NEED_SAMPLES) and (method == "best_of_n" or name not in BEST_OF_N_ONLY)
    ]


DEFAULT = "mixture"
"""Where only curves are known it falls back to laws along N and T, and says so."""

WHY_NOT = {
    "beta-binomial": "it needs samples and --method best_of_n",
    "plug-in": "it needs samples, not curves",
}
"""What a predictor lacks where it is asked for and cannot."""
