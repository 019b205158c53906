"""Derivatives of equations of motion at operating points, and the elimination of dependent quantities."""
