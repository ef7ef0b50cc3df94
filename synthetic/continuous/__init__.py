"""Continuous coefficients (the paper's Section 4): exact moments, best-of-N, sampler."""
