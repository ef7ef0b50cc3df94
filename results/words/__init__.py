"""The words and tables in which the terminal and the page present the numbers."""
