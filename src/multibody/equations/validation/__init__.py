"""Checks of equations: names and symbols, and prescribed motion that jumps."""
