"""What PyMbs scripts make of a world: equations, code, pictures, runs."""
