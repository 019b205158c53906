"""Equations to read: closed forms as text, LaTeX and SymPy matrices, and tables of their symbols."""
