"""Linear systems with names: from equations of motion, with numbers or symbols, and from files."""
