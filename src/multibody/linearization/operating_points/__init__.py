"""Operating points: states with inputs and parameters, their sizes and limits."""
