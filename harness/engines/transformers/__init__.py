"""The engine without a server: a transformers model in this process."""
