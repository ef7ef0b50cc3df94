"""The tables: what each holds, how it is read, checked and written."""
