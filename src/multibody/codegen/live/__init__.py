"""Python libraries that compute with their own expressions, JAX and CasADi: as the text of a module, or alive."""
