"""Binary sparse coefficients (the paper's Section 5): an exact chain, a sampler, greedy decoding."""
