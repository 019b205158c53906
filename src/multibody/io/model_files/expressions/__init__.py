"""Numbers, formulas, rotations and tables of model files, as text and as expressions."""
