"""Commands of PyMbs scripts that use a world: equations, code, pictures, runs."""
