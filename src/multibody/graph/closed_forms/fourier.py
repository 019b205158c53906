"""Fourier polynomials: sums of products of sines and cosines, one for each group of angles."""

from __future__ import annotations

from collections.abc import Callable
from math import gcd

from multibody.graph.closed_forms.laurent import Ring, Terms
from multibody.graph.closed_forms.trigonometric import Circular, Frequency, Group, direction, euler

Monomial = tuple[tuple[int, int], ...]
"""Atoms, sorted, with their exponents."""

Fourier = dict[tuple[Monomial, tuple[Circular, ...]], int]
"""The coefficients of products: a monomial without angles, times sines and cosines."""

Parts = dict[Monomial, dict[Frequency, tuple[int, int]]]
"""Complex coefficients by frequency, for each monomial without angles."""

Powers = dict[Frequency, tuple[str, int]]
"""Of which function to use powers, and of which multiple of a primitive frequency."""

Carriers = dict[Frequency, tuple[Frequency, Frequency, int]]
"""A frequency as a + n·b: a, b, n."""


def parts_of(ring: Ring, terms: Terms) -> Parts:
    """A polynomial sorted by frequency."""
    result: Parts = {}
    for monomial, c in terms.items():
        exponents = ring.exponents(monomial)
        frequency = tuple(exponents[i] for i in ring.angles)
        plain = tuple((i, e) for i, e in enumerate(exponents) if e and i and i not in ring.angles)
        part = result.setdefault(plain, {})
        real, imaginary = part.get(frequency, (0, 0))
        part[frequency] = (real, imaginary + c) if exponents[0] else (real + c, imaginary)
    return result


def fourier(ring: Ring, parts: Parts, grouping: Callable[[frozenset[Frequency]], tuple[Group, ...]]) -> Fourier:
    """Products of one sine or cosine for each group of angles; the imaginary parts cancel."""
    result: Fourier = {}
    for plain, part in parts.items():
        groups = grouping(frozenset(part))
        for frequency, (real, imaginary) in part.items():
            ring.budget.spend(len(result) // 4)
            for product, of_one, of_i in euler(frequency, groups):
                key = plain, product
                result[key] = result.get(key, 0) + of_one * real - of_i * imaginary
    return {key: c for key, c in result.items() if c}


def choices_of_powers(polynomial: Fourier) -> dict[Frequency, list[tuple[str, int]]]:
    """For each direction the powers that its multiple angles could be written in: cos² or sin² instead of cos 2θ."""
    multiples: dict[Frequency, set[int]] = {}
    for frequency in _frequencies(polynomial):
        primitive, n = direction(frequency)
        multiples.setdefault(primitive, set()).add(n)
    result: dict[Frequency, list[tuple[str, int]]] = {}
    for primitive, factors in multiples.items():
        common = gcd(*factors)
        bases = [common] * (max(factors) > common) + [common // 2] * (common % 2 == 0)
        if bases:
            result[primitive] = [(kept, base) for base in bases for kept in ("cos", "sin")]
    return result


def carriers_along(polynomial: Fourier, step: Frequency) -> Carriers:
    """Frequencies a + n·step, where two neighbours on this line can stand for all others."""
    lines: dict[Frequency, dict[Frequency, int]] = {}
    for frequency in _frequencies(polynomial):
        if direction(frequency)[0] != step:
            foot, n = _foot(frequency, _wide(step, len(frequency)))
            lines.setdefault(foot, {})[frequency] = n
    result: Carriers = {}
    for foot, places in lines.items():
        b = _wide(step, len(foot))
        first = min(sorted(places.values(), key=abs), key=lambda n: sum(abs(m - n - 0.5) for m in places.values()))
        if set(places.values()) - {first, first + 1}:
            start = tuple(k + first * e for k, e in zip(foot, b, strict=True))
            result |= {frequency: (start, b, n - first) for frequency, n in places.items()}
    return result


def _frequencies(polynomial: Fourier) -> set[Frequency]:
    return {frequency for _, product in polynomial for _, frequency in product}


def _foot(frequency: Frequency, step: Frequency) -> tuple[Frequency, int]:
    """The point a of the line a + n·step that a frequency lies on, and n."""
    pivot = next(i for i, k in enumerate(step) if k)
    n = frequency[pivot] // step[pivot]
    return tuple(k - n * e for k, e in zip(frequency, step, strict=True)), n


def _wide(frequency: Frequency, length: int) -> Frequency:
    """The frequency with zeros at its end."""
    return (*frequency, *[0] * (length - len(frequency)))
