"""From answers to accuracy: exact votes, best-of-N, permutations and the curves made of them."""
