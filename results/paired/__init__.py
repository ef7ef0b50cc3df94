"""Runs compared on the same questions: differences paired by question, and what would settle them."""
