"""What plugs into inspect_ai: the exact vote as a reducer, and stopping rules."""
