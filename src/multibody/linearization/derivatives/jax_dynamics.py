"""The dynamics as a function of JAX, for learning and optimal control."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from multibody.codegen.live.jax import live_function
from multibody.equations import EquationsOfMotion
from multibody.equations.dependent_angles import require_no_acting_angles
from multibody.equations.validation.argument_checks import require_equations
from multibody.errors import ShapeError
from multibody.graph import Symbol
from multibody.support.optional_libraries import require_library


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
    jnp = require_library("jax.numpy", "jax")
    states = (*eom.coordinates, *eom.speeds)
    groups: tuple[Sequence[Symbol], ...] = (states, (), eom.inputs, eom.parameters)
    rates = live_function(list(eom.explicit_form()), eom.model.time, groups, jnp)

    def dynamics(t: Any, x: Any, r: Any = (), p: Any = ()) -> Any:
        real = jnp.result_type(float)  # single or double, as JAX is set now
        arrays = []
        for symbols, values in zip(groups, (x, (), r, p), strict=True):
            entries = jnp.ravel(jnp.asarray(values, dtype=real))
            if len(entries) != len(symbols):
                raise ShapeError(
                    f"There are {len(entries)} values for {len(symbols)}: {', '.join(s.name for s in symbols)}.",
                    code="array-wrong-shape",
                    where=f"dynamics of '{eom.model.name}' for JAX",
                    remedy="Call it as dynamics(t, x, r, p); jax.vmap is for several states at once.",
                    names=tuple(symbol.name for symbol in symbols),
                    count=len(entries),
                )
            arrays.append(entries)
        return rates(jnp.asarray(t, dtype=real), *arrays)

    return dynamics
