"""Colours that the models share: red, green, blue and opacity."""

BLUE = (0.27, 0.51, 0.71, 1.0)
ORANGE = (1.0, 0.6, 0.1, 1.0)
GREY = (0.5, 0.5, 0.5, 1.0)
PALE = (0.85, 0.85, 0.85, 1.0)
WHITE = (1.0, 1.0, 1.0, 1.0)
BLACK = (0.0, 0.0, 0.0, 1.0)
