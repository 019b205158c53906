"""Python modules: for NumPy, and what those for JAX and CasADi share with it."""
