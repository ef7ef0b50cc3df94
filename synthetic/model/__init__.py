"""The paper's model: tasks, transformer, decoding, and their settings."""
