"""How answers are read: where one stands in a text, and what it says."""
