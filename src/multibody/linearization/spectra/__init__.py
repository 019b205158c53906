"""Poles with error bounds, modes, controllability, and the verdicts that follow from them."""
