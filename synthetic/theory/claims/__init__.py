"""The paper's claims, each with a verdict from what was computed."""
