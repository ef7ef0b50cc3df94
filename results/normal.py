"""The one width of an interval that is read off a standard error: 90 %, under the normal law."""

from statistics import NormalDist

Z90 = NormalDist().inv_cdf(0.95)
"""A 90 % interval is a value ± Z90 (1.645) standard errors."""
