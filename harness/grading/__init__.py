"""How answers are read: where in a text an answer is, and what its value is."""
