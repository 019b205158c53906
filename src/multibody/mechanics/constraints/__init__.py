"""Constraint equations of a model, and their rank."""
