"""A run's folder: its answers, what they depend on, and how the run is resumed."""
