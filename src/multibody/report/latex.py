"""The report in LaTeX, with the drawing in TikZ."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from multibody.codegen.naming import report_name
from multibody.codegen.program import Program
from multibody.codegen.syntax import one_line
from multibody.graph.names import GREEK
from multibody.report.content import ReportTarget, sections
from multibody.report.drawing import LINE, TopologyDrawing, TopologyLink, drawn
from multibody.report.formulas import WIDE, ReportFormulas, width
from multibody.report.pieces import Cell, CodeBlock, Formula, Math, Paragraph, Picture, Piece, ReportGrid

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "`": r"\textasciigrave{}", "'": r"\textquotesingle{}",
    "-": "{-}", "²": r"\ensuremath{{}^{2}}", "³": r"\ensuremath{{}^{3}}", "·": r"\ensuremath{\cdot}",
    "°": r"\ensuremath{{}^{\circ}}", "µ": r"\ensuremath{\mu}", "×": r"\ensuremath{\times}",
}  # fmt: skip
_LIKE_LATIN = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧο", "ABEZHIKMNOPTXo", strict=True))
_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0308": '"', "\u030a": "r", "\u030c": "v",
    "\u0327": "c",
}  # fmt: skip


@dataclass(frozen=True)
class Latex(ReportTarget):
    """A report ``<name>.tex`` for any LaTeX with amsmath and TikZ.

    Args:
        seconds: how long closed forms of the equations are looked for.
        limit: how many intermediate results are shown at most.
    """

    def files(self, program: Program) -> Mapping[str, str]:
        """The document."""
        formulas = ReportFormulas(program, self.seconds, self.limit)
        blocks = [_HEAD.replace("TITLE", _breakable(program.name))]
        for section in sections(program, formulas):
            blocks += [rf"\section{{{section.title}}}", *_blocks(section.pieces, program)]
        return {f"{report_name(program.name)}.tex": "\n\n".join([*blocks, r"\end{document}"]) + "\n"}


def _block(piece: Paragraph | Picture | ReportGrid, program: Program) -> str:
    if isinstance(piece, Paragraph):
        return "".join(_part(part) for part in piece.parts)
    if isinstance(piece, Picture):
        return _FIGURE % (tikz(drawn(program.eom.model)), latex_text(piece.caption))
    return _table(piece)


def _blocks(pieces: Iterable[Piece], program: Program) -> Iterator[str]:
    """Formulas stand below each other; one that is too wide for the page, and cannot be broken, is made smaller."""
    for kind, group in groupby(pieces, lambda piece: isinstance(piece, Formula) and _fits(piece)):
        found = list(group)
        if kind:
            yield latex_math(_aligned([piece for piece in found if isinstance(piece, Formula)]))
        for piece in [] if kind else found:
            if isinstance(piece, Formula):
                yield latex_math(rf"\[\fitted{{{_aligned([piece], 'aligned')}}}\]")
            else:
                yield _block(piece, program)


def _fits(formula: Formula) -> bool:
    return width(formula.left) <= WIDE / 2 and all(width(line) <= WIDE for line in formula.right)


def _aligned(formulas: Sequence[Formula], environment: str = "align*") -> str:
    rows = [
        row
        for formula in formulas
        for row in (f"{formula.left} &= {formula.right[0]}", *(rf"&\quad {x}" for x in formula.right[1:]))
    ]
    return "\n".join([rf"\begin{{{environment}}}", " \\\\\n".join(rows), rf"\end{{{environment}}}"])


def _table(grid: ReportGrid) -> str:
    text = r">{\raggedright\arraybackslash}p{0.24\linewidth}"
    columns = "".join(text if title == "meaning" else "l" for title in grid.head)
    head, *rows = [" & ".join(_cell(cell) for cell in row) + r" \\" for row in (grid.head, *grid.rows)]
    begin, end = rf"{{\footnotesize\begin{{longtable}}{{{columns}}}", r"\end{longtable}}"
    return "\n".join([begin, head, r"\hline\endhead", *rows, end])


def _part(part: Cell) -> str:
    """A piece of a paragraph: lines may be broken in it."""
    return rf"\texttt{{{_breakable(part.text)}}}" if isinstance(part, CodeBlock) else _cell(part)


def _cell(cell: Cell) -> str:
    if isinstance(cell, Math):
        text = f"${latex_math(cell.tex)}$"
        return rf"\shrunk[0.2\linewidth]{{{text}}}" if width(cell.tex) > LONG else text
    if not isinstance(cell, CodeBlock):
        return _breakable(cell)
    name = rf"\texttt{{{_breakable(cell.text)}}}"
    return rf"\parbox{{0.2\linewidth}}{{\raggedright {name}}}" if len(cell.text) > LONG else name


def _breakable(text: str) -> str:
    """A text in which long words may be broken anywhere."""
    return re.sub(rf"\S{{{LONG},}}|\s+|\S+", lambda match: _word(match[0]), text)


def _word(word: str) -> str:
    if word.isspace():
        return " "
    return latex_text(word) if len(word) <= LONG else r"\allowbreak{}".join(latex_text(letter) for letter in word)


LONG = 30
"""So many characters of a name fit into a table."""


_FIGURE = r"""\begin{figure}[ht]
\centering
\shrunk{%%
%s%%
}
\caption{%s}
\end{figure}"""

_HEAD = r"""\documentclass[11pt]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{lmodern}
\usepackage{textcomp}
\usepackage[a4paper, margin=22mm]{geometry}
\usepackage{amsmath, amssymb}
\usepackage{graphicx}
\usepackage{array, longtable}
\usepackage{tikz}
\allowdisplaybreaks
\setlength{\parindent}{0pt}
\setlength{\jot}{7pt}
\setlength{\tabcolsep}{4pt}
\newsavebox{\wide}
% as it is, or as wide as the page, or as is wanted, if it is wider
\newcommand{\shrunk}[2][\linewidth]{\sbox{\wide}{#2}\ifdim\wd\wide>#1\resizebox{#1}{!}{\usebox{\wide}}\else\usebox{\wide}\fi}
\newcommand{\fitted}[1]{\shrunk{$\displaystyle #1$}}
\title{TITLE: equations of motion}
\author{}
\date{}
\begin{document}
\maketitle"""


# the topology in TikZ ------------------------------------------------------------------------------------------------


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


# users' texts: nothing in them is a command, and every letter can be set -------------------------------------------


def latex_text(text: str) -> str:
    r"""A text as LaTeX shows it letter by letter; a letter that its fonts lack becomes its code point.

    Example:
        >>> print(latex_text("50 % of m_1 \\ φ"))
        50 \% of m\_1 \textbackslash{} \ensuremath{\phi}
    """
    padded = " " if text.startswith(" ") else "", " " if text.endswith(" ") else ""
    return "".join(_letter(letter) for letter in one_line(text)).join(padded)


def latex_math(tex: str) -> str:
    """A formula in which letters beyond ASCII, which stand in texts only, can be set by every TeX."""
    return re.sub(r"[^\x00-\x7f]", lambda match: _letter(match[0]), tex)


def _letter(letter: str) -> str:
    if letter in _SPECIAL:
        return _SPECIAL[letter]
    if letter.isascii():
        return letter
    if letter in _LIKE_LATIN:
        return rf"\ensuremath{{\mathrm{{{_LIKE_LATIN[letter]}}}}}"
    if letter in GREEK:
        return rf"\ensuremath{{\{GREEK[letter]}}}"
    base, marks = unicodedata.normalize("NFD", letter)[0], unicodedata.normalize("NFD", letter)[1:]
    if base.isascii() and marks in _ACCENTS:
        return rf"\{_ACCENTS[marks]}{{{base}}}"
    return {"ß": r"\ss{}", "ø": r"\o{}", "Ø": r"\O{}", "æ": r"\ae{}", "Æ": r"\AE{}"}.get(letter, f"U+{ord(letter):04X}")
