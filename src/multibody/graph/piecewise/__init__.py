"""Functions that are given piece by piece: conditions, tables, signs, and where they switch."""
