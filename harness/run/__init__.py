"""One run: what it plans, samples, stores, records and counts."""
