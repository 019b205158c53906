"""The dynamics as a function of JAX, for learning and optimal control."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from multibody.equations import EquationsOfMotion
from multibody.equations.dependent_angles import require_no_acting_angles
from multibody.errors import ShapeError
from multibody.export.tape import taped
from multibody.export.tape_loop import looped
from multibody.graph import Expr, Symbol, Table, topological
from multibody.linear.point import require_equations
from multibody.linear.translation import ARITHMETIC, Operations, translated
from multibody.simulate.optional import library

OPERATIONS = 1000
"""So many are translated one by one; XLA compiles these in about a second, and twice as many in ten."""


def jax_function(eom: EquationsOfMotion) -> Callable[..., Any]:
    """The dynamics (t, x, r, p) → ẋ as a function that JAX can trace, with x = (q, u).

    Wrap it in ``jax.jit``, ``jax.grad``, ``jax.vmap`` as you like. JAX counts in single precision unless you say
    ``jax.config.update("jax_enable_x64", True)`` before. Equations of more than a thousand operations are run by a
    loop, which JAX compiles in less than a second, however many there are.

    Args:
        eom: equations of motion.

    Raises:
        MissingLibraryError: if JAX is not installed; it comes with the extra ``jax``.

    Example:
        >>> import multibody as mb
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> (l,) = pendulum.parameters(l=0.5)
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2.0, (0, 0, -l)), "Ry")
        >>> drive = pendulum.load(mb.JointLoad(hinge, pendulum.input("M")))
        >>> dynamics = jax_function(mb.derive(pendulum))
        >>> dynamics(0.0, [0.0, 3.0], [1.0], [0.5]).tolist()
        [3.0, 2.0]
    """
    require_equations(eom, "jax_function")
    require_no_acting_angles(eom, "jax_function")
    jnp = library("jax.numpy", "jax")
    outputs, operations = list(eom.explicit_form()), _operations(jnp)
    states = (*eom.coordinates, *eom.speeds)
    nodes = [node for node in topological(outputs) if node.args]
    loop = _loop(eom, outputs, jnp) if len(nodes) > OPERATIONS else None

    def dynamics(t: Any, x: Any, r: Any = (), p: Any = ()) -> Any:
        real = jnp.result_type(float)  # single or double, as JAX is set now
        known, groups = {eom.model.time: jnp.asarray(t, dtype=real)}, []
        for symbols, values in ((states, x), (eom.inputs, r), (eom.parameters, p)):
            entries = jnp.ravel(jnp.asarray(values, dtype=real))
            if len(entries) != len(symbols):
                raise ShapeError(
                    f"There are {len(entries)} values for {len(symbols)}: {', '.join(one.name for one in symbols)}.",
                    where=f"dynamics of '{eom.model.name}' for JAX",
                    remedy="Call it as dynamics(t, x, r, p); jax.vmap is for several states at once.",
                )
            groups.append(entries)
            known |= zip(symbols, entries, strict=True) if loop is None else ()
        if loop is not None:
            return loop(known[eom.model.time], groups[0], groups[1], groups[2])
        rates = translated(outputs, known, operations, lambda *args: _table(jnp, *args))
        return jnp.stack([jnp.asarray(rate, dtype=real) for rate in rates]) if rates else jnp.zeros(0)

    return dynamics


def _loop(eom: EquationsOfMotion, outputs: list[Expr], jnp: Any) -> Callable[..., Any]:
    """The equations as a list of vector operations, and the loop that runs it, as a function of (t, x, r, p)."""
    tables = {node.table.digest: node.table for node in topological(outputs) if node.op == "table"}
    groups: tuple[Sequence[Symbol], ...] = ([*eom.coordinates, *eom.speeds], [], eom.inputs, eom.parameters)
    tape = taped(outputs, {}, groups, eom.model.time, {digest: f"table {digest}" for digest in tables})
    functions = {f"table {digest}": partial(_table, jnp, table) for digest, table in tables.items()}
    run = looped(tape.constants, tape.steps, tape.results, [len(group) for group in groups], functions)
    return lambda t, x, r, p: run(t, x, jnp.zeros(0), r, p)


def _operations(jnp: Any) -> Operations:
    names = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "min": "minimum"}
    names |= {"max": "maximum", "pow": "power", "and": "logical_and", "or": "logical_or", "not": "logical_not"}
    plain = "sin cos tan sinh cosh tanh exp log sqrt abs sign where".split()
    return {**ARITHMETIC, **{op: getattr(jnp, names.get(op, op)) for op in (*names, *plain)}}


def _table(jnp: Any, table: Table, x: Any) -> Any:
    """The polynomial of the interval that x lies in."""
    interval = jnp.searchsorted(jnp.asarray(table.breaks), x, side="right")
    offset = x - jnp.asarray(table.starts)[interval]
    result: Any = 0.0
    for row in table.coefficients[::-1]:
        result = result * offset + jnp.asarray(row)[interval]
    return result
