"""What the engines behind HTTP share: one connection, which sends a request until it is answered."""
