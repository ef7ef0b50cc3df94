"""The tables: what each one holds (docs/tables.md), and reading, checking and writing them."""
