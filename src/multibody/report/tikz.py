"""The drawing in TikZ."""

from __future__ import annotations

from multibody.report.drawing import LINE, TopologyDrawing, TopologyLink
from multibody.report.escaping import latex_text

SCALE = 0.75
"""Points of TeX for a point of the drawing."""


def tikz(drawing: TopologyDrawing) -> str:
    """A ``tikzpicture``."""
    boxes = [
        rf"\node[body] (b{k}) at ({_pt(box.x)}, {_pt(-box.y)}) {{{latex_text(box.name)}}};"
        for k, box in enumerate(drawing.boxes)
    ]
    size = f"minimum width={_pt(drawing.box_width)}, minimum height={_pt(LINE)}"
    style = rf"[body/.style={{draw, rounded corners=2pt, fill=black!5, {size}}}, every node/.style={{font=\small}}]"
    links = [_link(drawing, link) for link in drawing.links]
    return "\n".join([rf"\begin{{tikzpicture}}{style}", *boxes, *links, r"\end{tikzpicture}"])


def _link(drawing: TopologyDrawing, link: TopologyLink) -> str:
    a, b = drawing.boxes[link.start], drawing.boxes[link.end]
    x, y, side = link.label_place(drawing.boxes)
    label = rf"\node[{side}] at ({_pt(x)}, {_pt(-y)}) {{{latex_text(link.label)}}};"
    if not link.closes:
        return rf"\draw[->] (b{link.start}) -- (b{link.end}); {label}"
    low = _pt(-link.bow(drawing.boxes))
    bow = f".. controls ({_pt(a.x)}, {low}) and ({_pt(b.x)}, {low}) .."
    return rf"\draw[dashed] (b{link.start}.south) {bow} (b{link.end}.south); {label}"


def _pt(length: float) -> str:
    return f"{SCALE * length:.1f}pt"
