"""Shapes that bodies are drawn with, their colors, and where they are drawn."""
