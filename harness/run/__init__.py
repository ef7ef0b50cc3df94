"""One run: what it plans, requests and samples."""
