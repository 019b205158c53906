"""Random systems for property-based tests with Hypothesis, which reduces a system that fails to the smallest one.

Whatever a failure does not need goes away: bodies, loads, offsets, rotations, gravity; masses become 1, joints become
plain ones. Hypothesis shows what is left as an outline.

Example:
    >>> from hypothesis import given, settings
    >>> from multibody.formalisms import Recursive, derive
    >>> from multibody.testing.identities import power_balances
    >>> @given(systems(max_bodies=2))
    ... @settings(max_examples=3)
    ... def test_power(system):
    ...     power_balances(derive(system, Recursive()))
    >>> test_power()
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from hypothesis import strategies as st

from multibody.algebra import Rotation
from multibody.graph import ZERO, pi
from multibody.model import (
    Body,
    Cylindrical,
    Frame,
    Free,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    System,
    Universal,
    Weld,
)
from multibody.testing.chance import Chance
from multibody.testing.random_loads import LOADS
from multibody.testing.random_models import given_motion
from multibody.testing.random_sensors import SENSORS
from multibody.testing.site import Site

# A choice from a list is one draw, whatever is chosen: so a choice can be simplified without disturbing all the others.

numbers: st.SearchStrategy[Any] = st.sampled_from(
    [0, 1, -1, 2, -2, 3, -3, *(Fraction(k, 4) for k in (2, -2, 1, 3, 5, -5, 7))]
)
"""Small numbers, 0 before all others."""

positives: st.SearchStrategy[Any] = st.sampled_from([1, 2, 3, 4, *(Fraction(k, 4) for k in (2, 1, 3, 5, 7))])
"""Small positive numbers, 1 before all others."""

vectors = st.tuples(numbers, numbers, numbers)
"""Three small numbers."""

_TURNS: tuple[Callable[[], Rotation | None], ...] = (
    lambda: None,
    lambda: Rotation.about_x(pi / 2),
    lambda: Rotation.about_y(pi / 2),
    lambda: Rotation.about_z(pi / 2),
    lambda: Rotation.about_x(pi),
    lambda: Rotation.about_z(pi / 6),
    lambda: Rotation.euler("xyz", (pi / 3, -pi / 4, pi / 6)),
)  # made when they are drawn, so that their constants do not live on

rotations = st.sampled_from(_TURNS).map(lambda turn: turn())
"""Ways in which a frame may be turned, all of them exact; not at all before all others."""

_AXES: tuple[Any, ...] = ("x", "y", "z", "-x", "-y", "-z", (3, 4, 0), (1, -2, 2), (2, 1, 3))

joint_kinds = st.sampled_from([
    "Tx", "Ty", "Tz", "Rx", "Ry", "Rz",
    *map(Prismatic, _AXES), *map(Revolute, _AXES), Weld(),
    ["Tx", "Ty"], ["Tx", "Rx"], ["Rx", "Ry"], ["Tz", "Rx", "Ry"], ["Rz", "Ty", "Rx", "Tz"],
    Screw("x", 1), Screw("-y", -0.5), Screw((3, 4, 0), 2), *map(Cylindrical, _AXES),
    Universal("x", "y"), Universal("x", "-z"), Universal((1, 2, 0), (0, 1, 1)),
    Planar("x"), Planar("y"), Planar("z"),
    Spherical("xyz"), Spherical("zxz"), Spherical(), Free("xyz"), Free("zxz"), Free(),
])  # fmt: skip
"""All kinds of joints, the plainest first."""


class _Place(NamedTuple):
    """Where a frame is on its body."""

    position: Any
    rotation: Rotation | None

    def on(self, body: Body, name: str) -> Frame:
        plain = self.rotation is None and not any(self.position)
        return body if plain else body.frame(name, self.position, self.rotation)


class _Part(NamedTuple):
    """A body with the joint that carries it.

    Attributes:
        parent: number of the carrying body, 0 for the world; the last one if there are fewer.
        spread: ∫x²dm, ∫y²dm and ∫z²dm, which make an inertia that a body can have.
        backwards: whether the joint leads from the carried body to the carrying one.
        driven: whether the joint's motion is given.
    """

    parent: int
    kind: Any
    mass: Any
    com: Any
    spread: tuple[Any, Any, Any]
    inner: _Place
    outer: _Place
    backwards: bool
    driven: bool


def _parts(
    kinds: st.SearchStrategy[Any], parents: st.SearchStrategy[int], driven: st.SearchStrategy[bool]
) -> st.SearchStrategy[_Part]:
    places = st.builds(_Place, vectors, rotations)
    halves = positives.map(lambda x: Fraction(x) / 2)  # all 1/2 makes all moments of inertia 1
    spread = st.tuples(halves, halves, halves)
    return st.builds(_Part, parents, kinds, positives, vectors, spread, places, places, st.booleans(), driven)


@st.composite
def systems(
    draw: st.DrawFn, max_bodies: int = 5, kinds: st.SearchStrategy[Any] = joint_kinds, *, loads: bool = True,
    sensors: bool = False, prescribed: bool = True,
) -> System:  # fmt: skip
    """Trees of rigid bodies, with whatever else a system may have.

    Args:
        draw: given by Hypothesis.
        max_bodies: how many bodies there are at most; there is at least one.
        kinds: kinds of joints, as ``System.joint`` takes them; by default all.
        loads: whether there may be loads, with parameters and inputs.
        sensors: whether there may be sensors.
        prescribed: whether the motion of joints may be given.
    """
    system = _Shown("mechanism", gravity=draw(vectors))
    drives = st.booleans() if prescribed else st.just(False)
    parts = _parts(kinds, st.integers(0, max_bodies - 1), drives)
    bodies: list[Body] = [system.world]
    for k, part in enumerate(draw(st.lists(parts, min_size=1, max_size=max_bodies)), start=1):
        bodies.append(_added(system, k, bodies[min(part.parent, k - 1)], part, Drawn(draw)))
    site = Site(system, Drawn(draw))
    while loads and len(system.loads) < 3 and draw(st.booleans()):
        system.load(site.made(LOADS))
    while sensors and len(system.sensors) < 6 and draw(st.booleans()):
        sensor = site.made(SENSORS)
        system.sensor(site.name("y"), sensor)
    return system


def _added(system: System, k: int, carrier: Body, part: _Part, chance: Chance) -> Body:
    x, y, z = part.spread
    body = system.body(f"b{k}", part.mass, part.com, (y + z, x + z, x + y))
    inner, outer = part.inner.on(carrier, f"inner{k}"), part.outer.on(body, f"outer{k}")
    parent, child = (outer, inner) if part.backwards else (inner, outer)
    motion = given_motion(Site(system, chance), part.kind) if part.driven else None
    system.joint(f"j{k}", parent, child, part.kind, prescribed=motion)
    return body


class Drawn(Chance):
    """Chance that Hypothesis can simplify.

    Args:
        draw: what a composite strategy gets.
    """

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def index(self, count: int) -> int:
        """Small ones are simple."""
        return self._draw(st.integers(0, count - 1))

    def number(self) -> Any:
        """A small integer or fraction."""
        return self._draw(numbers)

    def positive(self) -> Any:
        """A small positive integer or fraction."""
        return self._draw(positives)

    def rotation(self) -> Rotation | None:
        """One of a few."""
        return self._draw(rotations)


class _Shown(System):
    """A system that Hypothesis shows as an outline."""

    def __repr__(self) -> str:
        return outline(self)


# outlines ------------------------------------------------------------------------------------------------------------


def outline(system: System) -> str:
    """Bodies, joints, loads and sensors, one line each; what is zero or usual is left out.

    Example:
        >>> crane = System("crane", gravity=(0, 0, -10))
        >>> crab = crane.body("crab", mass=3, inertia=(1, 1, 2))
        >>> slide = crane.joint("slide", crane.frame("rail", (0, 0, 5)), crab, "Tx")
        >>> print(outline(crane))
        system crane, gravity (0, 0, -10)
          body crab: mass 3, inertia (1, 1, 2)
          joint slide: world at (0, 0, 5) -> crab, Elementary(movements=('Tx',))
    """
    lines = [f"system {system.name}{_unless_zero(', gravity', system.gravity)}"]
    lines += [_body(body) for body in system.all(Body) if body is not system.world]
    lines += [_joint(joint) for joint in system.all(Joint)]
    lines += [f"load {name}: {load!r}" for name, load in system.loads.items()]
    lines += [f"sensor {name}: {sensor!r}" for name, sensor in system.sensors.items()]
    return "\n  ".join(lines)


def _body(body: Body) -> str:
    tensor = body.inertia
    products = (tensor.xy, tensor.xz, tensor.yz)
    inertia = f"inertia {_shown((tensor.xx, tensor.yy, tensor.zz))}"
    return f"body {body.name}: mass {body.mass}{_unless_zero(', com', body.com)}, {inertia}" + _unless_zero(
        ", products xy, xz, yz", products
    )


def _joint(joint: Joint) -> str:
    given = "" if joint.prescribed is None else f", prescribed {_shown(joint.prescribed)}"
    return f"joint {joint.name}: {_frame(joint.parent)} -> {_frame(joint.child)}, {joint.kind!r}{given}"


def _frame(frame: Frame) -> str:
    matrix = frame.pose.rotation.to_matrix()
    straight = all(matrix[i, j] == (i == j) for i in range(3) for j in range(3))
    place = _unless_zero(" at", frame.pose.position)
    turned = "" if straight else f" turned to {'; '.join(_shown(row) for row in matrix.rows)}"
    return f"{frame.body.name}{place}{turned}"


def _unless_zero(label: str, values: Any) -> str:
    return "" if all(value is ZERO for value in values) else f"{label} {_shown(values)}"


def _shown(values: Any) -> str:
    return f"({', '.join(map(str, values))})"
