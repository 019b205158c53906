"""Scenes: everything that can be seen of a model, as places that move, and solids and ties on them."""
