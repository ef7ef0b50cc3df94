"""From answers to accuracy: exact votes, best-of-N, random orders, and the curves built from them."""
