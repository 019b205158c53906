"""Random systems of all flavours, and the formalisms to hold against the identities: the one place to add more."""

from functools import cache

from multibody.formalisms import ArticulatedBody, Kane, Lagrange, NewtonEuler, Recursive, Wittenburg, derive
from multibody.testing import KINDS, random_floating_system, random_system, random_tree

FORMALISMS = {
    "recursive": Recursive(),
    "articulated": ArticulatedBody(),
    "newton_euler": NewtonEuler(),
    "kane": Kane(),
    "lagrange": Lagrange(),
    "wittenburg": Wittenburg(),
}
SEEDS = {name: range(10 if name == "recursive" else 4 if name == "articulated" else 1) for name in FORMALISMS}
"""How many systems of each flavour; what holds for one formalism and agrees with another need not be tried for both."""

PLAIN_KINDS = [*KINDS[:8], KINDS[12]]
"""Joints whose speeds are the rates of their coordinates."""

FLAVOURS = {
    "tree": lambda seed: random_tree(seed, size(seed)),
    "chain": lambda seed: random_system(seed, size(seed), PLAIN_KINDS, chain=True, prescribed=0, loads=1),
    "loaded": lambda seed: random_system(seed, size(seed), prescribed=0),
    "driven": lambda seed: random_system(seed, size(seed), prescribed=0.5, loads=2),
    "floating": lambda seed: random_floating_system(seed, size(seed), loads=2),
}


def size(seed):
    """Three bodies, two, or one."""
    return 3 - seed % 3


@cache
def model(flavour, seed):
    return FLAVOURS[flavour](seed).freeze()


@cache
def equations(flavour, seed, formalism):
    return derive(model(flavour, seed), FORMALISMS[formalism])
