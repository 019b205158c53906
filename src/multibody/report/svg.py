"""The drawing as SVG."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from multibody.codegen.syntax import one_line
from multibody.report.drawing import LINE, TopologyBox, TopologyDrawing, TopologyLink

STYLE = (
    "rect{fill:#eef3f8;stroke:#35506b}path{fill:none;stroke:#35506b;stroke-width:1.3}.closes{stroke:#b3541e;"
    "stroke-dasharray:5 4}text{font:12px sans-serif;fill:#16202b;text-anchor:middle;dominant-baseline:central}"
    ".right{text-anchor:start;fill:#35506b}.left{text-anchor:end;fill:#35506b}.loop{fill:#b3541e}"
)


def svg(drawing: TopologyDrawing) -> str:
    """The text of an SVG file; it needs no fonts and no scripts."""
    size = f"{drawing.width:.0f}", f"{drawing.height:.0f}"
    shape = f'width="{size[0]}" height="{size[1]}" viewBox="0 0 {size[0]} {size[1]}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {shape}>'
    lines = [line for link in drawing.links for line in _link(drawing, link)]
    boxes = [line for box in drawing.boxes for line in _box(box, drawing.box_width)]
    return "\n".join([head, f"<rect width='100%' height='100%' style='fill:#fff;stroke:none'/><style>{STYLE}</style>",
                      *lines, *boxes, "</svg>", ""])  # fmt: skip


def _box(box: TopologyBox, width: float) -> Iterator[str]:
    left, top = box.x - width / 2, box.y - LINE / 2
    yield f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{LINE:.1f}" rx="4"/>'
    yield _text(box.x, box.y, box.name, "")


def _link(drawing: TopologyDrawing, link: TopologyLink) -> Iterator[str]:
    a, b = drawing.boxes[link.start], drawing.boxes[link.end]
    x, y, side = link.label_place(drawing.boxes)
    if link.closes:
        low = link.bow(drawing.boxes)
        bow = f"C{a.x:.1f} {low:.1f} {b.x:.1f} {low:.1f} {b.x:.1f} {b.y + LINE / 2:.1f}"
        yield f'<path class="closes" d="M{a.x:.1f} {a.y + LINE / 2:.1f}{bow}"/>'
        yield _text(x, y + 9, link.label, "loop")
        return
    down = LINE / 2 if b.y >= a.y else -LINE / 2
    yield f'<path d="M{a.x:.1f} {a.y + down:.1f}L{b.x:.1f} {b.y - down:.1f}"/>'
    yield _text(x, y, link.label, side)


def _text(x: float, y: float, text: str, kind: str) -> str:
    style = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{style}>{escape(one_line(text))}</text>'
