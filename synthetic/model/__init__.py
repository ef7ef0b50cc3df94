"""The paper's model: tasks, transformer, decoding, and the settings of all three."""
