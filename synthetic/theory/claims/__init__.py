"""The paper's claims, each with a verdict from computed results."""
