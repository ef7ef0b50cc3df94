"""The question law: Algorithm 3 of the paper with exact votes and questions that differ."""
