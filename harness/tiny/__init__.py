"""A language model small enough to live in the repository, and the word problems it is trained on."""
