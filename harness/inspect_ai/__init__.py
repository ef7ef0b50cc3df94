"""Plug-ins for inspect_ai: the exact majority vote as a reducer, and stopping rules."""
