"""One run: what it plans, asks for and samples."""
