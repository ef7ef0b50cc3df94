"""From tables to evidence: what is known, what is hidden from a forecast, and what it is asked."""
