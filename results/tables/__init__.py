"""The contract: what a table holds, how it is read, checked and written."""
