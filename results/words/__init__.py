"""What the terminal and the page say of the numbers."""
