"""The loop of JAX that runs a tape; exported modules contain the text of these functions.

Each step gathers its operands from the workspace, applies one operation to all lanes, and puts the values behind those
of the step before. Nothing is overwritten, so that derivatives in both directions need the operands alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

PAD = 0.5
"""An operand of lanes that are not used, at which every operation and its slope are finite."""


def looped(
    constants: Sequence[float], steps: Sequence[Any], results: Sequence[int], sizes: Sequence[int],
    tables: Mapping[str, Callable[..., Any]],
) -> Callable[..., Any]:  # fmt: skip
    """A function of (t, q, u, r, p) from a list of operations, which a loop runs in vectors of equal operations.

    Args:
        constants: the first numbers of the workspace; t, q, u, r, p and the values of all steps follow.
        steps: names of operations with places of operands; of sums, with triples of sign and two factors.
        results: places of the results.
        sizes: of q, u, r and p.
        tables: further operations by name.
    """
    import jax
    import jax.numpy as jnp
    from jax import lax

    names = sorted({name for name, _ in steps})
    known = operations() | {name: plain(table, 1) for name, table in tables.items()}
    branches = [known[name] for name in names]
    kinds = np.array([names.index(name) for name, _ in steps], dtype=np.int32)
    places, signs = operands(steps)
    width = signs.shape[-1]

    def put(w: Any, row: Any) -> Any:
        start, kind, place, sign = row
        x = w.at[place].get(mode="promise_in_bounds")
        sign = sign.astype(w.dtype).reshape(sign.shape + (1,) * (w.ndim - 1))
        values = lax.switch(kind, branches, sign, *x) if len(branches) > 1 else branches[0](sign, *x)
        return lax.dynamic_update_slice_in_dim(w, values.astype(w.dtype), start, 0), None

    def function(t: Any, q: Any, u: Any, r: Any, p: Any) -> Any:
        given = [jnp.asarray(argument) for argument in (t, q, u, r, p)]
        found = tuple(len(item) for item in given[1:])
        if found != tuple(sizes):
            raise ValueError(f"q, u, r and p have {found} entries in the place of {tuple(sizes)}")
        batch = jnp.broadcast_shapes(given[0].shape, *(item.shape[1:] for item in given[1:]))
        real = jnp.result_type(0.0, *(item for item in given if item.size))
        parts = [jnp.asarray(constants), given[0][None], *given[1:], jnp.zeros(width * len(steps))]
        lengths = [len(part) for part in parts]
        w = jnp.concatenate([spread(part.astype(real), batch) for part in parts])
        starts = sum(lengths[:-1]) + width * np.arange(len(steps), dtype=np.int32)
        if steps:  # else all results are given
            w, _ = lax.scan(put, w, (starts, kinds, places, signs))
        return w[np.array(results, dtype=np.int32)]

    return jax.jit(function)


def spread(values: Any, batch: tuple[int, ...]) -> Any:
    """Numbers in the first dimension, repeated in all further ones that they do not have."""
    import jax.numpy as jnp

    missing = (1,) * (len(batch) + 1 - values.ndim)
    return jnp.broadcast_to(values.reshape(values.shape[:1] + missing + values.shape[1:]), values.shape[:1] + batch)


def operands(steps: Sequence[Any]) -> tuple[np.ndarray, np.ndarray]:
    """The places of all operands and the signs of all terms as arrays, filled up with harmless ones."""
    width = max((len(lanes) for _, lanes in steps), default=1)
    terms = max((len(lane) for name, lanes in steps for lane in lanes), default=1)
    places = np.ones((len(steps), 2 * terms, width), dtype=np.int32)  # the second constant
    signs = np.zeros((len(steps), terms, width), dtype=np.int8)
    for k, (name, lanes) in enumerate(steps):
        for j, lane in enumerate(lanes):
            if name == "sum":
                for i, (sign, a, b) in enumerate(lane):
                    signs[k, i, j], places[k, 2 * i, j], places[k, 2 * i + 1, j] = sign, a, b
            else:
                places[k, : len(lane), j] = lane
    return places, signs


def operations() -> dict[str, Callable[..., Any]]:
    """All operations, of the signs of terms and of operands; conditions are 0 or 1."""
    import jax.numpy as jnp

    one: dict[str, Callable[..., Any]] = {
        "sin": jnp.sin, "cos": jnp.cos, "tan": jnp.tan, "asin": jnp.arcsin, "acos": jnp.arccos, "atan": jnp.arctan,
        "sinh": jnp.sinh, "cosh": jnp.cosh, "tanh": jnp.tanh, "exp": jnp.exp, "log": jnp.log, "sqrt": jnp.sqrt,
        "abs": jnp.abs, "sign": jnp.sign, "recip": lambda x: 1.0 / x,
    }  # fmt: skip
    two: dict[str, Callable[..., Any]] = {
        "atan2": jnp.arctan2, "min": jnp.minimum, "max": jnp.maximum, "pow": jnp.power,
    }  # fmt: skip
    asked: dict[str, Callable[..., Any]] = {
        "lt": jnp.less, "le": jnp.less_equal, "eq": jnp.equal, "and": jnp.logical_and, "or": jnp.logical_or,
    }  # fmt: skip
    return {
        "sum": lambda sign, *x: sum(sign[k] * x[2 * k] * x[2 * k + 1] for k in range(len(x) // 2)),
        "where": lambda _, *x: jnp.where(x[0] != 0, x[1], x[2]),
        "not": condition(jnp.logical_not, 1),
        **{name: plain(function, 1) for name, function in one.items()},
        **{name: plain(function, 2) for name, function in two.items()},
        **{name: condition(function, 2) for name, function in asked.items()},
    }


def plain(function: Callable[..., Any], count: int) -> Callable[..., Any]:
    """An operation of the first operands."""
    return lambda _, *x: function(*x[:count])


def condition(function: Callable[..., Any], count: int) -> Callable[..., Any]:
    """Likewise, as a number."""
    return lambda _, *x: function(*x[:count]).astype(x[0].dtype)
