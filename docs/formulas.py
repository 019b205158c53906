"""Formulas in the documentation: LaTeX between dollar signs becomes MathML, which browsers draw by themselves.

``pymdownx.arithmatex`` marks the formulas of a page, latex2mathml turns them into MathML when the site is built. A
formula that it does not understand stops the build, and is named together with its page.
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

STYLE = "formulas.css"
MARKED = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)
NUMBER = re.compile(r"\\tag\{([^{}]*)\}")
UNKNOWN = re.compile(r"\\[a-zA-Z]+|&(?![#\w]+;)|bold-italic")
"""Commands that latex2mathml does not know and leaves as they are, columns outside of a table, and letters that
browsers do not draw bold."""
# what is set closer or wider than latex2mathml does it: names of functions, signs, words of upright letters
FUNCTION = r"\\(?:sin|cos|tan|exp|log|ln|det)(?![a-z])(?:\^\w)?"
BEFORE = re.compile(rf"(?<=[\w)}}]) *(?={FUNCTION})")
AFTER = re.compile(rf"({FUNCTION}) *(?=\w|\\[a-z])(?!\\left|\\right)")
SIGN = re.compile(r"(<mo[^>]*>(?!&#x00029;|&#x0005D;|[)\]|])[^<]*</mo>(?:<mspace[^>]*/>)*)<mo>(?=&#x02212;|&#x0002B;)")
LETTERS = re.compile(r'(?:<mi mathvariant="normal">[^<]*</mi>){2,}')


class FormulaError(ValueError):
    """A formula that cannot be drawn."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Every page gets the style of its formulas."""
    config.extra_css.append(STYLE)
    return config


def on_page_content(html: str, page: Page, **_: Any) -> str:
    """All formulas of a page as MathML."""
    try:
        return drawn(html)
    except FormulaError as error:
        raise SystemExit(f"{page.file.src_uri}: {error}") from error


def drawn(html: str) -> str:
    r"""HTML with MathML in place of the marked formulas; a block with ``\tag{…}`` has its number at the right."""
    return MARKED.sub(lambda found: (_block if found[1] == "div" else mathml)(unescape(found[2]).strip()), html)


def _block(latex: str) -> str:
    number = NUMBER.search(latex)
    label = "" if number is None else f'<span class="number">({number[1]})</span>'
    return f'<div class="formula">{mathml(NUMBER.sub("", latex), "block")}{label}</div>'


def mathml(latex: str, display: str = "inline") -> str:
    r"""A formula in MathML.

    Args:
        latex: the formula; lines of an ``aligned`` block are set one below the other.
        display: ``"inline"``, or ``"block"`` for a formula on a line of its own.

    Raises:
        FormulaError: if a part of it is not understood.

    Example:
        >>> mathml(r"q^2")[-61:]
        'inline"><mrow><msup><mi>q</mi><mn>2</mn></msup></mrow></math>'
    """
    from latex2mathml.converter import convert

    if latex.count("{") != latex.count("}"):
        raise FormulaError(f"the braces of the formula ${latex}$ do not match")
    try:
        found: str = convert(_prepared(latex), display=display)
    except Exception as error:
        raise FormulaError(f"the formula ${latex}$ is not understood: {type(error).__name__}") from error
    unknown = UNKNOWN.search(found)
    if unknown:
        raise FormulaError(f"the formula ${latex}$ has {unknown[0]!r}, which is not understood")
    return _finished(found)


def _prepared(latex: str) -> str:
    """What latex2mathml takes: another name for aligned lines, and thin spaces around the names of functions."""
    return AFTER.sub(r"\1\\, ", BEFORE.sub(r" \\, ", latex.replace("{aligned}", "{align*}")))


def _finished(formula: str) -> str:
    """A sign after an operator is no subtraction, letters of a word are one name, and ∂ needs no space around it."""
    formula = formula.replace("<mo>&#x02202;</mo>", "<mi>&#x02202;</mi>")
    formula = SIGN.sub(r'\1<mo form="prefix">', formula)
    return LETTERS.sub(lambda word: f"<mi>{re.sub('<[^>]*>', '', word[0])}</mi>", formula)
