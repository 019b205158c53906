"""The report in Markdown, with the drawing beside it as SVG."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape

from multibody.codegen.naming import report_name
from multibody.codegen.program import Program
from multibody.codegen.syntax import one_line
from multibody.report.content import ReportTarget, sections
from multibody.report.drawing import LINE, TopologyBox, TopologyDrawing, TopologyLink, drawn
from multibody.report.formulas import ReportFormulas
from multibody.report.pieces import Cell, CodeBlock, Formula, Math, Paragraph, Picture, Piece, ReportGrid

_ENTITIES = {letter: f"&#{ord(letter)};" for letter in "&<>|$~^"}  # which not every Markdown escapes by a backslash
_MARKUP = re.compile(r"[\\`*_\[\]#!&<>|$~^]")


@dataclass(frozen=True)
class Markdown(ReportTarget):
    """A report ``<name>.md`` with a drawing ``<name>_topology.svg``; formulas stand between dollar signs.

    GitHub, GitLab, Jupyter, pandoc, VS Code, and MkDocs with arithmatex show such formulas.

    Args:
        seconds: how long closed forms of the equations are looked for.
        limit: how many intermediate results are shown at most.
    """

    def files(self, program: Program) -> Mapping[str, str]:
        """The text and the drawing."""
        name = report_name(program.name)
        formulas = ReportFormulas(program, self.seconds, self.limit)
        blocks = [f"# {_cell(CodeBlock(program.name))}"]
        for section in sections(program, formulas):
            blocks += [f"## {section.title}", *(_block(piece, name) for piece in section.pieces)]
        files = {f"{name}.md": "\n\n".join(blocks) + "\n"}
        return files | ({f"{name}_topology.svg": svg(drawn(program.eom.model))} if program.eom.model.joints else {})


def _block(piece: Piece, name: str) -> str:
    if isinstance(piece, Paragraph):
        return "".join(_cell(part) for part in piece.parts)
    if isinstance(piece, Picture):
        return f"![{markdown_text(piece.caption)}]({name}_topology.svg)"
    if isinstance(piece, ReportGrid):
        return _table(piece)
    return _display(piece)


def _display(formula: Formula) -> str:
    first, *others = formula.right
    if not others:
        return f"$$\n{formula.left} = {first}\n$$"
    lines = " \\\\\n".join([f"{formula.left} &= {first}", *(rf"&\quad {line}" for line in others)])
    return f"$$\n\\begin{{aligned}}\n{lines}\n\\end{{aligned}}\n$$"


def _table(grid: ReportGrid) -> str:
    lines = [grid.head, ("---",) * len(grid.head), *([_cell(cell) for cell in row] for row in grid.rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(cell: Cell) -> str:
    if isinstance(cell, Math):
        return f"${cell.tex}$"
    return f"`{cell.text}`" if isinstance(cell, CodeBlock) else markdown_text(cell)


def markdown_text(text: str) -> str:
    r"""A user's text, with nothing in it that Markdown or HTML would take for markup.

    Example:
        >>> print(markdown_text("5 * x_1 | <b>"))
        5 \* x\_1 &#124; &#60;b&#62;
    """
    padded = " " if text.startswith(" ") else "", " " if text.endswith(" ") else ""
    plain = _MARKUP.sub(lambda match: _ENTITIES.get(match[0], f"\\{match[0]}"), one_line(text))
    return plain.join(padded)


# the topology as SVG -------------------------------------------------------------------------------------------------


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
