"""The twin matched to a language model: which of its settings explain the model's curves, and how well."""
