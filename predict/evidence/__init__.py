"""From tables to evidence: what a forecast may see, what is hidden from it, and what it is asked."""
