"""Trigonometric identities: multiple angles as powers, exponentials as products of sines and cosines.

A polynomial in e^{iθ₁}, e^{iθ₂}, … has many real forms. If the set of its frequencies is symmetric in θ₁ alone, then
sines and cosines of θ₁ are factors of their own; θ₁ and θ₂ that are symmetric only together form a group, in which only
their sums and differences occur: the angles of parallel axes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from math import comb, gcd

Frequency = tuple[int, ...]
"""How often each angle is contained in a sum of angles."""

Group = tuple[int, ...]
Circular = tuple[str, Frequency]
"""A sine, cosine or tangent of a sum of angles, whose first coefficient is positive."""

MAX_TRIALS = 100_000
"""So many comparisons are made in search of symmetric groups."""


@lru_cache(maxsize=1000)
def multiple_angle(kind: str, n: int, kept: str) -> tuple[tuple[tuple[int, int], int], ...]:
    """cos nθ or sin nθ as Σ c·cosᵃθ·sinᵇθ, without squares of the function that is not ``kept``.

    Example:
        >>> multiple_angle("cos", 2, "sin")  # 1 - 2·sin² θ
        (((0, 0), 1), ((0, 2), -2))
    """
    result: dict[tuple[int, int], int] = {}
    for j in range(kind == "sin", n + 1, 2):  # de Moivre: the powers of sin in the expansion of (cos θ + i·sin θ)ⁿ
        c = comb(n, j) * (-1) ** (j // 2)
        gone = j if kept == "cos" else n - j
        for k in range(gone // 2 + 1):  # by sin² = 1 - cos²
            left, gained = gone % 2, n - gone + 2 * k
            key = (gained, left) if kept == "cos" else (left, gained)
            result[key] = result.get(key, 0) + c * comb(gone // 2, k) * (-1) ** k
    return tuple(sorted((key, c) for key, c in result.items() if c))


@lru_cache(maxsize=1000)
def chebyshev(n: int) -> tuple[tuple[int, int], ...]:
    """sin nθ / sin θ as Σ c·cosᵃθ, the Chebyshev polynomial of the second kind Uₙ₋₁, for any integer n.

    Example:
        >>> chebyshev(3)  # 4·cos² θ - 1
        ((0, -1), (2, 4))
    """
    sign = 1 if n >= 0 else -1
    terms = multiple_angle("sin", abs(n), "cos") if n else ()
    return tuple((cosines, sign * c) for (cosines, _), c in terms)


@lru_cache(maxsize=1000)
def direction(frequency: Frequency) -> tuple[Frequency, int]:
    """A frequency as a multiple of a primitive one, which has no zeros at its end."""
    n = gcd(*frequency)
    end = 1 + max(i for i, k in enumerate(frequency) if k)
    return tuple(k // n for k in frequency[:end]), n


@lru_cache(maxsize=10_000)
def euler(frequency: Frequency, groups: tuple[Group, ...]) -> tuple[tuple[tuple[Circular, ...], int, int], ...]:
    """e^{i·k·θ} = Π (cos + i·sin) over the groups, as products with their factor: that of 1, that of i.

    Example:
        >>> euler((1, -1), ((0, 1),))  # cos(θ₁ - θ₂) + i·sin(θ₁ - θ₂)
        (((('cos', (1, -1)),), 1, 0), ((('sin', (1, -1)),), 0, 1))
    """
    result: list[tuple[tuple[Circular, ...], int, int]] = [((), 1, 0)]
    for group in groups:
        part = tuple(k if i in group else 0 for i, k in enumerate(frequency))
        if any(part):
            sign = 1 if next(k for k in part if k) > 0 else -1
            angle = tuple(sign * k for k in part)
            result = [
                term
                for product, real, imaginary in result
                for term in (
                    ((*product, ("cos", angle)), real, imaginary),
                    ((*product, ("sin", angle)), -sign * imaginary, sign * real),
                )
            ]
    return tuple(result)


@lru_cache(maxsize=1000)
def finest_groups(frequencies: frozenset[Frequency]) -> tuple[Group, ...]:
    """The smallest groups of angles such that the frequencies are symmetric in each group.

    Example:
        >>> finest_groups(frozenset([(1, 1, 1), (1, 1, -1), (-1, -1, 1), (-1, -1, -1)]))  # cos(θ₁ + θ₂)·cos(θ₃)
        ((2,), (0, 1))
    """
    return tuple(_groups(list(one_group(frequencies)[0]), frequencies))


def one_group(frequencies: frozenset[Frequency]) -> tuple[Group, ...]:
    """All angles as one group."""
    return (tuple(i for i, column in enumerate(zip(*frequencies, strict=True)) if any(column)),)


def _groups(angles: list[int], frequencies: frozenset[Frequency]) -> Iterator[Group]:
    size = 1
    while 2 * size <= len(angles) and comb(len(angles), size) * len(frequencies) < MAX_TRIALS:
        for group in combinations(angles, size):
            if all(tuple(-e if i in group else e for i, e in enumerate(k)) in frequencies for k in frequencies):
                yield group
                angles = [i for i in angles if i not in group]
                break
        else:
            size += 1
    yield tuple(angles)
