"""Quantities computed on a model, below the equations of motion: constraints, assembly, recursions, validation."""
