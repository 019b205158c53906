"""Tools for people who add a joint, a load or a formalism: random models and identities to hold them against."""

from multibody.testing.random_models import KINDS, random_state, random_tree

__all__ = ["KINDS", "random_state", "random_tree"]
