"""What is counted of a run's answers while they come in."""
