"""What to buy, and which run to make next."""
