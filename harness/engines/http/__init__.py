"""What the engines behind HTTP share: one connection that sends a request until it is answered."""
