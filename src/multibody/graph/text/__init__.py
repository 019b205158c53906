"""Expressions as text: reading, plain text, LaTeX, lists of named intermediate results."""
