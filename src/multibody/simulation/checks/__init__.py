"""Checks of a run: energies, limits, redundant constraints, tables, and why a run failed."""
