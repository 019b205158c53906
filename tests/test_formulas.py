"""The documentation's formulas are drawn as MathML, and a wrong one stops the build with its name."""

import importlib.util
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from types import SimpleNamespace

import pytest
from markdown import markdown

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if "$" in path.read_text(encoding="utf-8"))


def _hook():
    spec = importlib.util.spec_from_file_location("formulas", DOCS / "formulas.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


formulas = _hook()


def page(text):
    extensions = ["pymdownx.arithmatex", "pymdownx.superfences", "tables"]
    return formulas.drawn(
        markdown(text, extensions=extensions, extension_configs={"pymdownx.arithmatex": {"generic": True}})
    )


def letters(html):
    """The characters of all formulas, without their structure."""
    formula = re.findall(r"<math.*?</math>", html, re.DOTALL)
    return ["".join("".join(ET.fromstring(one).itertext()).split()) for one in formula]


def test_formulas_in_text_and_on_lines_of_their_own():
    html = page("With $a < b_1$ it is\n\n$$\nM \\dot{u} + h = f \\tag{4.8}\n$$\n")
    assert letters(html) == ["a<b1", "Mu˙+h=f"]
    assert [one in html for one in ('display="inline"', 'display="block"')] == [True, True]
    assert html.count('<div class="formula">') == 1
    assert '<span class="number">(4.8)</span>' in html


def test_lines_stand_one_below_the_other():
    html = page("$$\n\\begin{aligned}\na &= b \\\\\nc &= d\n\\end{aligned} \\tag{2}\n$$")
    rows = ET.fromstring(re.search("<math.*</math>", html)[0]).iter("{http://www.w3.org/1998/Math/MathML}mtr")
    assert ["".join(row.itertext()) for row in rows] == ["a=b", "c=d"]


@pytest.mark.parametrize(
    ("formula", "spaces"),
    [
        ("l \\sin q", 2),
        ("\\sin^2 q \\cos q", 3),
        ("\\sin(q)", 0),
        ("(\\cos q)", 1),
        ("2\\cos\\varphi", 2),
        ("s i n q", 0),
    ],
)
def test_names_of_functions_are_held_apart(formula, spaces):
    assert formulas.mathml(formula).count("<mspace") == spaces


@pytest.mark.parametrize(
    ("formula", "signs"), [("a - b", 0), ("(-a)", 1), ("x = -a - b", 1), ("(a)-b", 0), ("\\dot{a} - b,\\; -c", 1)]
)
def test_signs_are_no_differences(formula, signs):
    assert formulas.mathml(formula).count('<mo form="prefix">') == signs


def test_words_are_one_name():
    assert "<mi>red</mi>" in formulas.mathml(r"M_{\mathrm{red}}")


def test_code_and_prices_are_no_formulas():
    text = "`$x$` costs $5, and $ 6 too\n\n```sh\n$ multibody $HOME $$\n```\n"
    assert "<math" not in page(text)


@pytest.mark.parametrize(
    ("formula", "named"),
    [
        (r"\frobnicate{x}", r"\\frobnicate"),
        (r"\frac{a", "braces"),
        (r"\left( a", "ExtraLeftOrMissingRight"),
        (r"\begin{split} a &= b \end{unsplit}", "split"),
        (r"a & b", "&"),
        (r"\boldsymbol{\omega}", "boldsymbol"),
    ],
)
def test_what_is_not_understood_is_named(formula, named):
    with pytest.raises(formulas.FormulaError, match=named) as caught:
        page(f"$${formula}$$")
    assert f"${formula}$" in str(caught.value)


def test_the_build_stops_with_the_name_of_the_page():
    broken = SimpleNamespace(file=SimpleNamespace(src_uri="theory/broken.md"))
    with pytest.raises(SystemExit, match=r"theory/broken\.md: .*frobnicate"):
        formulas.on_page_content(r'<span class="arithmatex">\(\frobnicate\)</span>', page=broken)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_all_formulas_of_a_page_can_be_drawn(path):
    html = page(path.read_text(encoding="utf-8"))
    assert 'class="arithmatex"' not in html
    assert all(letters(html))
