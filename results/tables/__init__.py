"""The tables: what each holds (docs/tables.md), how it is read, checked and written."""
