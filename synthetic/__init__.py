"""The theory twin: the paper's transformer on in-context linear regression, sampled and solved exactly."""
