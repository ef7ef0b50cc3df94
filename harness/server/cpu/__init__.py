"""SGLang on a machine without a GPU: a platform plugin, and a launcher that uses it."""
