"""Every predictor by the name the command line knows it by."""

from predict.curve_predictors import CURVE_PREDICTORS
from predict.protocol import Predictor

PREDICTORS: dict[str, Predictor] = {**CURVE_PREDICTORS}
