"""The graph of bodies and joints as a drawing: where each box stands, and what connects it with others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from multibody.model import Body, Frame, Joint, Model
from multibody.model.freeze.topology import Edge, Tree, spanning_tree
from multibody.model.joints import Elementary
from multibody.support.tree_layout import layered

LETTER, LINE, GAP = 7.2, 30.0, 62.0
"""The width of a letter, the height of a box, and the space between rows, in points."""


class TopologyBox(NamedTuple):
    """A body: its name, and the centre of its box."""

    name: str
    x: float
    y: float


class TopologyLink(NamedTuple):
    """A joint or a constraint between two boxes.

    Attributes:
        start: the number of one box.
        end: that of the other.
        label: what it is.
        closes: whether it closes a loop; such links are drawn as dashed bows.
    """

    start: int
    end: int
    label: str
    closes: bool

    def bow(self, boxes: Sequence[TopologyBox]) -> float:
        """How deep the bow of a closing link reaches: the height of its two control points."""
        return (
            max(boxes[self.start].y, boxes[self.end].y)
            + 2.2 * LINE
            + 0.12 * abs(boxes[self.start].x - boxes[self.end].x)
        )

    def label_place(self, boxes: Sequence[TopologyBox]) -> tuple[float, float, str]:
        """Where the label stands, and on which side of that point: left, right or below."""
        a, b = boxes[self.start], boxes[self.end]
        x = (a.x + b.x) / 2
        if self.closes:
            return *self._lowest(boxes), "below"
        down, up = (b, a) if b.y >= a.y else (a, b)
        return (x - 8, (a.y + b.y) / 2, "left") if down.x < up.x - 1 else (x + 8, (a.y + b.y) / 2, "right")

    def _lowest(self, boxes: Sequence[TopologyBox]) -> tuple[float, float]:
        """The lowest point of the bow, a cubic curve."""
        a, b, low = boxes[self.start], boxes[self.end], self.bow(boxes)
        y, t = max(
            ((a.y + LINE / 2) * (1 - t) ** 3 + 3 * low * t * (1 - t) + (b.y + LINE / 2) * t**3, t)
            for t in (k / 40 for k in range(41))
        )
        return a.x * (1 - t) ** 2 * (1 + 2 * t) + b.x * t**2 * (3 - 2 * t), y


class TopologyDrawing(NamedTuple):
    """Boxes of one size, links between them, and the size of the whole."""

    boxes: tuple[TopologyBox, ...]
    links: tuple[TopologyLink, ...]
    box_width: float
    width: float
    height: float


def drawn(model: Model) -> TopologyDrawing:
    """The bodies of a model below the world, each below the one that carries it."""
    whole = model.unreduced or model
    bodies = {whole.world: 0} | {body: k for k, body in enumerate(whole.bodies, 1)}
    edges = [Edge(joint.name, bodies[joint.parent.body], bodies[joint.child.body]) for joint in whole.joints]
    tree = spanning_tree(0, bodies.values(), edges)
    links = [
        TopologyLink(bodies[joint.parent.body], bodies[joint.child.body], _label(joint), False)
        for joint in whole.joints
    ]
    links += _closing(whole, bodies)
    box_width = LETTER * max(len(body.name) for body in bodies) + 14
    slot = max([box_width, *(LETTER * len(link.label) + 10 for link in links if not link.closes)]) + 30
    places = _places(tree, len(bodies))
    boxes = tuple(
        TopologyBox(body.name, (places[k][0] + 0.5) * slot, places[k][1] * (LINE + GAP) + LINE)
        for body, k in bodies.items()
    )
    depth = max([*(box.y + LINE for box in boxes), *(link.bow(boxes) + 8 for link in links if link.closes)])
    return TopologyDrawing(boxes, tuple(links), box_width, max(box.x for box in boxes) + slot / 2, depth)


def _label(joint: Joint) -> str:
    """The joint's name and its kind."""
    kind = joint.kind
    return f"{joint.name}: {' '.join(kind.movements) if isinstance(kind, Elementary) else type(kind).__name__}"


def _closing(model: Model, bodies: Mapping[Body, int]) -> Iterator[TopologyLink]:
    """Cut joints, and constraints between two bodies."""
    for joint in model.cuts:
        yield TopologyLink(bodies[joint.parent.body], bodies[joint.child.body], _label(joint), True)
    cut = {joint.name for joint in model.cuts}
    for name, constraint in model.constraints.items():
        ends = [element.child if isinstance(element, Joint) else element for element in constraint.touches]
        touched = list(dict.fromkeys(bodies[end.body] for end in ends if isinstance(end, Frame)))
        if name not in cut and len(touched) > 1:
            yield TopologyLink(touched[0], touched[1], name, True)


def _places(tree: Tree, count: int) -> dict[int, tuple[float, float]]:
    """Column and row of every box: each above the middle of what it carries, and bodies without a joint on the left."""
    branches = [(int(str(branch.inner)), int(str(branch.outer))) for branch in tree.branches]
    points = layered(0, branches, dict.fromkeys(range(count), 1.0), 1.0)
    left = min(point.x for point in points.values())
    lost = [k for k in range(count) if k not in points]
    return {k: (points[k].x - left + len(lost), -points[k].y) for k in range(count) if k in points} | {
        k: (float(len(lost) - 1 - n), 0.0) for n, k in enumerate(lost)
    }
