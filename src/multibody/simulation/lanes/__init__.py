"""Several runs side by side in vector registers."""
