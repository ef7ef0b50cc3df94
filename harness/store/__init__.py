"""A run's folder: its answers, what they depend on, and how a run goes on with them."""
