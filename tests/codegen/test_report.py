"""Reports: LaTeX set by a real TeX, Markdown rendered, and the drawings read as XML."""

from __future__ import annotations

import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

import multibody as mb
from multibody.codegen import Program, Target, export
from multibody.graph import sin
from multibody.report import Latex, Markdown
from multibody.report.content import operation_counts
from multibody.report.drawing import LINE, drawn
from multibody.report.formulas import WIDE, broken, width

from .conftest import named_case
from .driving import tool
from .models import Case, crane_crab, four_bar_multipliers

EVIL = [
    r"\input{/etc/passwd} \end{document}", "50 % of $x$ & #1 {", "a | b | <script>alert(1)</script>", "x_1^2 ~ `code`",
    "*bold* _it_ ![a](b) [c](d)", "two\nlines \\", "φ Ω é ß 漢 m² · \"q\" 'r' --", "}}} ]] -->",
]  # fmt: skip


def evil() -> mb.EquationsOfMotion:
    """Names and texts that mean something to LaTeX, Markdown, HTML and SVG."""
    system = mb.System("Größe_漢", gravity=(0, 0, -9.81))
    masses = [system.parameter(f"p{k}", 1.0, unit=text, description=text) for k, text in enumerate(EVIL)]
    body, last = system.body("a_b_", sum(masses[1:], masses[0])), system.body("漢_φ", 1.0)
    system.joint("é_1_", system.world, body, "Tx")
    x = system.joint("φ", body, last, "Ty").coordinate
    system.load(mb.Force(last, (0, system.input("λ_", description=EVIL[2]) * sin(x), 0)))
    system.sensor("x__y", mb.Expression(x * masses[3]))
    return mb.derive(system)


def only(target: Target, eom: mb.EquationsOfMotion | Program, ending: str) -> str:
    """The file with this ending."""
    files = target.files(eom if isinstance(eom, Program) else Program.of(eom))
    (text,) = (text for path, text in files.items() if path.endswith(ending))
    return text


# LaTeX -----------------------------------------------------------------------------------------------------------


def typeset(path: Path) -> str:
    """What TeX says; any error ends it."""
    command = [tool("pdflatex"), "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", path.name]
    done = subprocess.run(command, cwd=path.parent, capture_output=True, check=False, timeout=120)
    output = done.stdout.decode(errors="replace")
    assert done.returncode == 0, output[-3000:]
    assert "Missing character" not in path.with_suffix(".log").read_text(errors="replace")
    return output


def test_tex_sets_the_report(case: Case, tmp_path: Path) -> None:
    (path,) = export(case.eom, Latex(), tmp_path).written
    output = typeset(path)
    too_wide = [float(found) for found in re.findall(r"Overfull \\hbox \((\d+\.?\d*)pt", output)]
    assert max(too_wide, default=0.0) < 30.0
    assert re.search(r"Output written on \S+ \(\d+ pages?", output)


def test_tex_shows_texts_letter_by_letter(tmp_path: Path) -> None:
    (path,) = export(evil(), Latex(), tmp_path).written
    typeset(path)
    shown = subprocess.run(
        [tool("pdftotext"), "-layout", path.with_suffix(".pdf"), "-"], capture_output=True, check=True, timeout=300
    )
    text = re.sub(r"\s", "", shown.stdout.decode())
    for words in (
        r"\input{/etc/passwd}",
        "50%of$x$&#1{",
        "<script>alert(1)</script>",
        "`code`",
        "U+6F22",
        "Gr\u00f6\u00dfe",
    ):
        assert words in text, words
    assert "root:" not in text


def test_the_longest_names_fit_on_the_page(tmp_path: Path) -> None:
    system = mb.System("m" * 200, gravity=(0, 0, -9.81))
    mass = system.parameter("l" * 200, 1.0, unit="kg", description="d" * 200)
    hinge = system.joint("j" * 190, system.world, system.body("b" * 200, mass, (0, 0, -1), (1, 1, 1)), "Ry", q=0.3)
    system.load(mb.JointLoad(hinge, system.input("i" * 200)))
    system.sensor("o" * 200, mb.Expression(hinge.coordinate))
    ((name, text),) = Latex(seconds=0).files(Program.of(mb.derive(system))).items()
    (tmp_path / "long.tex").write_text(text)
    output = typeset(tmp_path / "long.tex")
    too_wide = [float(found) for found in re.findall(r"Overfull \\hbox \((\d+\.?\d*)pt", output)]
    assert max(too_wide, default=0.0) < 30.0
    assert name == f"{'m' * 200}.tex"


def test_the_textbook_equations_of_the_crane_crab() -> None:
    text = only(Latex(), crane_crab(), ".tex")
    assert r"M_{1,1} &= m_{1} + m_{2}" in text
    assert r"M_{1,2} &= -\cos\left(\mathrm{swing}\right)\, l_{2}\, m_{2}" in text
    assert r"M_{2,2} &= \frac{13\, l_{2}^{2}\, m_{2}}{12}" in text  # m₂·l₂² of the lever and m₂·l₂²/12 of the load
    assert r"V &= -\cos\left(\mathrm{swing}\right)\, g\, l_{2}\, m_{2}" in text
    assert "M_{2,1}" not in text


def test_intermediates_are_defined_before_they_are_used() -> None:
    text = only(Latex(), four_bar_multipliers(), ".tex")
    found = re.search(r"\\section\{Intermediate results\}(.*?)\\section", text, re.DOTALL)
    assert found
    known: set[str] = set()
    for block in re.split(r"(?=^v_\{\d+\} &= )", found[1], flags=re.MULTILINE)[1:]:
        name, used = block.split(" &= ")[0], set(re.findall(r"\bv_\{\d+\}", block.split(" &= ", 1)[1]))
        assert used <= known
        known.add(name)
    assert set(re.findall(r"\bv_\{\d+\}", text)) == known
    assert len(known) > 5


def test_what_is_too_long_is_counted_and_left_out() -> None:
    program = named_case("tree").program
    text = only(Latex(), program, ".tex")
    assert "Too long to be read, and left out here: 33;" in text.split(r"\section{Accelerations}")[1]
    assert "Intermediate results" not in text


# Markdown --------------------------------------------------------------------------------------------------------


class Seen(HTMLParser):
    """Which tags there are, and the words of each table cell."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: object) -> None:
        self.tags.append(tag)
        if tag == "td":
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.cells:
            self.cells[-1] += data


def rendered(text: str) -> str:
    markdown = pytest.importorskip("markdown")
    pytest.importorskip("pymdownx")
    return markdown.markdown(
        text, extensions=["tables", "pymdownx.arithmatex"], extension_configs={"pymdownx.arithmatex": {"generic": True}}
    )


def test_markdown_is_rendered(case: Case) -> None:
    text = only(Markdown(), case.program, ".md")
    html = rendered(text)
    assert html.count('<div class="arithmatex">') == len(re.findall(r"^\$\$$", text, re.MULTILINE)) // 2 > 0
    assert "$" not in re.sub(r"&#36;", "", html)
    symbols = sum(len(group) for group in (*case.program.arguments.values(), case.program.multipliers))
    assert len(Seen(html).cells) == 6 * (symbols + len(operation_counts(case.program))) + 2 * 8


def test_markdown_shows_texts_letter_by_letter() -> None:
    seen = Seen(rendered(only(Markdown(), evil(), ".md")))
    assert not {"script", "em", "strong", "a"} & set(seen.tags)
    assert seen.tags.count("img") == 1
    for text in EVIL:
        wanted = " ".join(text.split()).rstrip("\\")
        assert any(cell.strip() == wanted.strip() for cell in seen.cells), text


# the drawing -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["crane_crab", "four_bar_multipliers", "tree", "evil"])
def test_the_drawing_has_all_bodies_and_joints(name: str) -> None:
    eom = evil() if name == "evil" else named_case(name).eom
    drawing = drawn(eom.model)
    root = ElementTree.fromstring(only(Markdown(), eom, ".svg"))
    shown = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    names = [body.name for body in (eom.model.world, *eom.model.bodies)]
    assert set(names) <= set(shown)
    assert len(shown) == len(names) + len(eom.model.joints) + len(eom.model.constraints)
    for k, one in enumerate(drawing.boxes):
        assert drawing.box_width / 2 <= one.x <= drawing.width - drawing.box_width / 2
        assert LINE / 2 <= one.y <= drawing.height
        for other in drawing.boxes[k + 1 :]:
            assert abs(one.x - other.x) >= drawing.box_width or abs(one.y - other.y) >= LINE


def test_each_body_stands_below_the_one_that_carries_it() -> None:
    drawing = drawn(named_case("tree").eom.model)
    ways = [link for link in drawing.links if not link.closes]
    assert len(ways) == 15
    assert all(drawing.boxes[link.end].y > drawing.boxes[link.start].y for link in ways)


def test_loops_are_bows() -> None:
    drawing = drawn(named_case("four_bar_explicit").eom.model)
    (closing,) = (link for link in drawing.links if link.closes)
    assert {drawing.boxes[k].name for k in (closing.start, closing.end)} == {"coupler", "rocker"}


# the rest --------------------------------------------------------------------------------------------------------


def test_operations_are_counted() -> None:
    system = mb.System("counted")
    x = system.joint("x", system.world, system.body("b", 1.0), "Tx", q=1.0).coordinate
    r, s = system.input("r"), system.input("s")
    system.sensor("y", mb.Expression(sin(x) * r + x / s))
    counts = operation_counts(Program.of(mb.derive(system)))
    assert counts["sensors"] == {"functions": 1, "multiplications": 2, "divisions": 1, "additions": 1}
    assert counts["mass_matrix"].total() == 0


def test_long_formulas_are_broken_at_their_outer_signs() -> None:
    term = r"\sin\left(a + b\right)\, \frac{c - d}{e}"
    formula = " + ".join([term] * 40)
    lines = broken(formula)
    assert " ".join(lines).replace(" ", "") == formula.replace(" ", "")
    assert all(width(line) <= WIDE for line in lines)
    assert all(line.startswith("+ ") for line in lines[1:])
    assert len(lines) > 5


@pytest.mark.parametrize("target", [Latex(), Markdown()])
def test_the_same_text_twice(target: Target) -> None:
    first, second = (target.files(Program.of(four_bar_multipliers())) for _ in range(2))
    assert first == second
