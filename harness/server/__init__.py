"""SGLang servers of the project's own."""
