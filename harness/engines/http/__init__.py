"""What the engines behind HTTP share: one connection, retries, the key."""
