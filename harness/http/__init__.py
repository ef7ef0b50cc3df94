"""The connection that engines behind HTTP share, which retries a request until it is answered."""
