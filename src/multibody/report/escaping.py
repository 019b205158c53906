"""Users' texts in LaTeX: nothing in them is a command, and every letter can be set."""

from __future__ import annotations

import re
import unicodedata

from multibody.codegen.syntax import one_line
from multibody.graph.names import GREEK

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
