"""Graph of bodies and joints: contents, layout and drawing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import ExpressionError, MissingValueError
from multibody.graph import Expr, evaluate, free_symbols
from multibody.model import Body, Frame, Joint, Model, System
from multibody.model.joints import Elementary
from multibody.model.kinematics import Kinematics
from multibody.support.figures import canvas
from multibody.support.optional_libraries import require_library
from multibody.support.tree_layout import LayoutBox, LayoutPoint, Route, layered, routed
from multibody.view.plots.drawing import CUT, EDGE, FILL, LINK, LOAD, File, finished
from multibody.view.scenes.subject import subject

# contents ------------------------------------------------------------------------------------------------------------

LONGEST = 26  # characters in a line


class Bond(NamedTuple):
    """A load or a constraint: its name, what it is, and the bodies and joints that it acts on."""

    name: str
    kind: str
    ends: tuple[Body | Joint, ...]


def branches(model: Model) -> list[tuple[Body, Body, Joint]]:
    """For each joint of the tree the body nearer to the world, the one that it carries, and itself."""
    reached, found = {model.world}, []
    for joint in model.joints:  # parents first
        ends = joint.parent.body, joint.child.body
        inner, outer = ends if ends[0] in reached else ends[::-1]
        reached.add(outer)
        found.append((inner, outer, joint))
    return found


def bonds(model: Model) -> list[Bond]:
    """All constraints that are no joints, then all loads."""
    full = model.unreduced or model
    cuts = {joint.name for joint in model.cuts}
    kinematics = Kinematics(full)
    found = [
        Bond(name, "constraint", _ends(full, constraint.touches, constraint.expressions))
        for name, constraint in full.constraints.items()
        if name not in cuts
    ]
    return found + [Bond(name, "load", _acted_on(full, kinematics, load)) for name, load in full.loads.items()]


def _ends(model: Model, touched: Iterable[Any], expressions: Iterable[Expr]) -> tuple[Body | Joint, ...]:
    """Bodies and joints; an expression acts on the joints whose coordinates or speeds it contains."""
    symbols = set(free_symbols(list(expressions)))
    moved = [joint for joint in (*model.joints, *model.cuts) if symbols & {*joint.coordinates, *joint.speeds}]
    things = [end.body if isinstance(end, Frame) else end for end in touched]
    return tuple(dict.fromkeys([*things, *(moved if not things else [])]))


def _acted_on(model: Model, kinematics: Kinematics, load: Any) -> tuple[Body | Joint, ...]:
    """Where the forces of a load act, whatever else it looks at."""
    owners = {speed: joint for joint in (*model.joints, *model.cuts) for speed in joint.speeds}
    joints = [owners[speed] for speed in load.generalized(kinematics) if speed in owners]
    return tuple(dict.fromkeys([*(force.frame.body for force in load.forces(kinematics)), *joints]))


# in words ------------------------------------------------------------------------------------------------------------


def mass_text(model: Model, body: Body) -> str:
    """The mass in kg with the values of parameters that have one, else as a formula; nothing for none."""
    if body.mass.fp == 0:
        return ""
    try:
        known: dict[Any, Any] = dict(model.parameter_values()) if free_symbols(body.mass) else {}
        return f"{float(evaluate(body.mass, known)):.4g} kg"
    except (MissingValueError, ExpressionError):
        return f"{clipped(str(body.mass))} [kg]"


def kind_text(joint: Joint) -> str:
    """What a joint allows, and whether it is driven."""
    kind = joint.kind
    if isinstance(kind, Elementary):
        text = " ".join(kind.movements)
    else:
        axes = [value for value in vars(kind).values() if isinstance(value, str) and len(value) <= 3]
        text = " ".join([type(kind).__name__, *axes])
    return clipped(text if joint.prescribed is None else f"{text}, driven")


def clipped(text: str) -> str:
    """A text that is not too long."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


# drawing -------------------------------------------------------------------------------------------------------------

LAYER, BOX, LABEL = 1.05, 0.4, 0.51  # inches: from layer to layer, height of a box, from its middle to the joint's name
LETTER, GAP, TAG = 0.068, 0.28, 0.2  # of a letter, between columns, from a text to what is beside it
NARROWEST = 3.6
MIDDLE = {"ha": "center", "va": "center"}
LINES = {
    "joint": {"color": "0.25", "linewidth": 1.3},
    "joint that closes a loop": {"color": CUT, "linewidth": 1.5, "linestyle": "--"},
    "constraint": {"color": LINK, "linewidth": 0.9, "linestyle": "-."},
    "load": {"color": LOAD, "linewidth": 0.8, "linestyle": ":"},
}


class Arc(NamedTuple):
    """A line that is not a branch of the tree."""

    kind: str
    text: str
    route: Route


def topology(
    system: System | Model | EquationsOfMotion, *, path: File = None, overwrite: bool = False, figure: Any = None
) -> Any:
    r"""Bodies with their masses as boxes, joints as lines between them; the world is at the top.

    Joints that close loops are dashed. Thin lines are constraints and loads; if they act on one thing alone, their name
    is beside it.

    Args:
        system: a system, a robot, a model, equations, or anything else that can be shown.
        path: a file to write: ``.png``, ``.svg`` or ``.pdf``.
        overwrite: whether a file of this name may be replaced.
        figure: a Matplotlib figure to draw in; by default a new one.

    Returns:
        The figure.

    Example:
        >>> import multibody as mb
        >>> pendulum = mb.System("pendulum")
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2, (0, 0, -1)), "Ry")
        >>> [text.get_text() for text in topology(pendulum).axes[0].texts]
        ['angle\nRy', 'world', 'bob\n2 kg']
    """
    drawing = _Drawing(subject(system).model)
    made = canvas(figure, drawing.size)
    made.suptitle(drawing.model.name)
    axis = made.subplots()
    drawing.draw(axis)
    line = require_library("matplotlib.lines", "plot").Line2D
    handles = [line([], [], label=name, **LINES[name]) for name in drawing.used]
    made.legend(handles=handles, loc="outside lower center", ncols=4, fontsize=8, frameon=False)
    return finished(made, path, overwrite)


class _Drawing:
    """Texts and their places, before they are drawn."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.tree = branches(model)
        self.texts: dict[Body | Joint, str] = {model.world: "world"}
        self.texts |= {body: "\n".join(filter(None, [body.name, mass_text(model, body)])) for body in model.bodies}
        self.texts |= {joint: f"{joint.name}\n{kind_text(joint)}" for joint in (*model.joints, *model.cuts)}
        found = bonds(model)
        self.tags = {bond.ends[0]: [other for other in found if other.ends == bond.ends] for bond in found
                     if len(bond.ends) == 1}  # fmt: skip
        self.at = self._places()
        self.boxes = [box for element in self.at for box in self._boxes(element)]
        self.arcs = [*self._cuts(), *(arc for bond in found for arc in self._arcs(bond))]

    # where -------------------------------------------------------------------------------------------------------

    def _places(self) -> dict[Body | Joint, LayoutPoint]:
        """Bodies in layers, and the joint that carries a body above it."""
        pairs = [(inner, outer) for inner, outer, _ in self.tree]
        widths = {self.model.world: self._width(self.model.world)}
        widths |= {outer: max(self._width(outer), self._width(joint)) for _, outer, joint in self.tree}
        found = layered(self.model.world, pairs, {body: GAP + width for body, width in widths.items()}, LAYER)
        above = {joint: LayoutPoint(found[outer].x, found[outer].y + LABEL) for _, outer, joint in self.tree}
        return {**found, **above}  # type: ignore[dict-item]

    def _width(self, thing: Body | Joint) -> float:
        """Of a text that stays in the middle while tags stand beside it."""
        tags = self.tags.get(thing, [])
        return _width(self.texts[thing]) + 2 * max([TAG + _width(clipped(tag.name)) for tag in tags], default=0.0)

    def _boxes(self, thing: Body | Joint) -> list[LayoutBox]:
        """What a thing with its tags covers."""
        x, y = self.at[thing]
        own, whole = _width(self.texts[thing]), self._width(thing)
        tags = (
            [LayoutBox(x + (own + whole) / 4, y, (whole - own) / 2, 0.14 * len(self.tags[thing]))]
            if whole > own
            else []
        )
        return [LayoutBox(x, y, own + 0.1, BOX), *tags]

    def _cuts(self) -> list[Arc]:
        kind = "joint that closes a loop"
        return [self._arc(kind, joint, joint.parent.body, joint.child.body) for joint in self.model.cuts]

    def _arcs(self, bond: Bond) -> list[Arc]:
        """From the first thing that it acts on to all the others."""
        first, *others = bond.ends or (None,)
        return [self._arc(bond.kind, "" if k else bond.name, first, other_end) for k, other_end in enumerate(others)]

    def _arc(self, kind: str, named: Joint | str, a: Any, b: Any) -> Arc:
        """An arc that passes by what stands there already; what comes later passes by its name."""
        text = named if isinstance(named, str) else self.texts[named]
        size = _width(text), 0.15 * len(text.split("\n"))
        route = routed(self.at[a], self.at[b], size, self.boxes)
        self.boxes.append(LayoutBox(*route.name, *size))
        if isinstance(named, Joint):
            self.at[named] = route.name
        return Arc(kind, text, route)

    @property
    def limits(self) -> tuple[float, float, float, float]:
        """Left, right, bottom, top of all that is drawn."""
        x, y, width, height = np.array(self.boxes).T
        paths = np.concatenate([np.empty((0, 2)), *(arc.route.points() for arc in self.arcs)])
        left, right = np.concatenate([x - width / 2, paths[:, 0]]), np.concatenate([x + width / 2, paths[:, 0]])
        low, high = np.concatenate([y - height / 2, paths[:, 1]]), np.concatenate([y + height / 2, paths[:, 1]])
        edges = left.min() - 0.05, right.max() + 0.05, low.min() - 0.05, high.max() + 0.05
        more = max(0.0, NARROWEST - edges[1] + edges[0]) / 2
        return edges[0] - more, edges[1] + more, edges[2], edges[3]

    @property
    def size(self) -> tuple[float, float]:
        """Of a figure in which letters have the size that the layout assumes."""
        left, right, low, high = self.limits
        return right - left + 0.2, high - low + 0.8

    @property
    def used(self) -> list[str]:
        """The kinds of lines that occur."""
        found = {arc.kind for arc in self.arcs} | {tag.kind for tags in self.tags.values() for tag in tags}
        return [kind for kind in LINES if kind in found or (kind == "joint" and self.tree)]

    # drawn -------------------------------------------------------------------------------------------------------

    def draw(self, axis: Any) -> None:
        """Lines, names, boxes."""
        for inner, outer, joint in self.tree:
            self._branch(axis, self.at[inner], self.at[outer], joint)
        for arc in self.arcs:
            _draw_arc(axis, arc)
        for element, tags in self.tags.items():
            self._tag(axis, element, tags)
        for body in (self.model.world, *self.model.bodies):
            edge, fill = ("0.3", "0.92") if body is self.model.world else (EDGE, FILL)
            box = {"boxstyle": "round,pad=0.35", "facecolor": fill, "edgecolor": edge, "linewidth": 0.9}
            axis.text(*self.at[body], self.texts[body], bbox=box, zorder=4, linespacing=1.25, fontsize=8, **MIDDLE)
        left, right, low, high = self.limits
        axis.set_xlim(left, right)
        axis.set_ylim(low, high)
        axis.set_aspect("equal")
        axis.set_axis_off()

    def _branch(self, axis: Any, inner: LayoutPoint, outer: LayoutPoint, joint: Joint) -> None:
        """From the body nearer to the world to above the other one, and down through the joint's name."""
        x, y = [inner.x, outer.x, outer.x], [inner.y, outer.y + LABEL + 0.17, outer.y]
        axis.plot(x, y, zorder=1, label=joint.name, **LINES["joint"])
        _name(axis, self.at[joint], self.texts[joint], "0.1")

    def _tag(self, axis: Any, thing: Body | Joint, tags: list[Bond]) -> None:
        """Names beside the only thing that they act on, with a short line to it."""
        place = self.at[thing]
        start = place.x + _width(self.texts[thing]) / 2 + TAG
        for k, tag in enumerate(tags):
            y = place.y + 0.14 * ((len(tags) - 1) / 2 - k)
            axis.plot([place.x, start - 0.03], [place.y, y], zorder=0.6, label=tag.name, **LINES[tag.kind])
            axis.text(start, y, clipped(tag.name), fontsize=7, va="center", color=LINES[tag.kind]["color"])


def _draw_arc(axis: Any, arc: Arc) -> None:
    kind, text, route = arc
    name = text.partition("\n")[0]
    axis.plot(*route.points().T, zorder=0.5, label=name, **LINES[kind])
    if text:
        _name(axis, route.name, text, LINES[kind]["color"])


def _name(axis: Any, place: LayoutPoint, text: str, colour: Any) -> None:
    white = {"facecolor": "white", "edgecolor": "none", "pad": 1.2}
    axis.text(*place, text, fontsize=7.5, color=colour, bbox=white, zorder=3, **MIDDLE)


def _width(text: str) -> float:
    return LETTER * max(map(len, text.split("\n")))
