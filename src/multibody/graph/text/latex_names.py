r"""Names in LaTeX: ``theta1`` is \theta_{1}, ``m_crab`` is m_{\mathrm{crab}}, ``q_dot`` is \dot{q}."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from multibody.graph.expr import Symbol
from multibody.graph.names import GREEK

_LIKE_LATIN = frozenset("omicron Alpha Beta Epsilon Zeta Eta Iota Kappa Mu Nu Omicron Rho Tau Chi".split())
_COMMANDS = {name: f"\\{name}" for name in GREEK.values() if name not in _LIKE_LATIN}
_ACCENTS = {"dot": r"\dot", "ddot": r"\ddot", "hat": r"\hat", "bar": r"\bar", "tilde": r"\tilde"}


def latex_name(name: str) -> str:
    r"""A name as mathematics: Greek letters, subscripts and accents.

    Example:
        >>> print(latex_name("theta1"), latex_name("m_crab"), latex_name("q_1_dot"), latex_name("φ_x"))
        \theta_{1} m_{\mathrm{crab}} \dot{q}_{1} \varphi_{x}
    """
    head, *indices = name.split("_")
    if not head or "" in indices:
        return literal(name)
    accents = [index for index in indices if index in _ACCENTS]
    letters, digits = _without_digits(head)
    shown = _word(letters)
    for accent in accents:
        shown = f"{_ACCENTS[accent]}{{{shown}}}"
    below = [digits, *(index for index in indices if index not in _ACCENTS)]
    subscript = ",".join(_word(index) for index in below if index)
    return f"{shown}_{{{subscript}}}" if subscript else shown


def _without_digits(word: str) -> tuple[str, str]:
    match = re.fullmatch(r"(.*?[^0-9])([0-9]*)", word, re.DOTALL)
    return (match[1], match[2]) if match else (word, "")


def _word(word: str) -> str:
    """Part of a name: a letter or number as it is, Greek as a command, a word upright."""
    word_of_letter = GREEK.get(word, word)
    if word_of_letter in _COMMANDS:
        return r"\varphi" if word == "φ" else _COMMANDS[word_of_letter]
    if not word.isascii():
        return rf"\text{{{word}}}"
    return word if len(word) == 1 or word.isdigit() else rf"\mathrm{{{word}}}"


def literal(text: str) -> str:
    r"""Any text letter by letter, with everything escaped that LaTeX would take for a command.

    Example:
        >>> print(literal("a__b"))
        \mathtt{a\_\_b}
    """
    escaped = re.sub(r"[#$%&_{}]", lambda match: f"\\{match[0]}", re.sub(r"[\\^~]", "", text))
    return rf"\mathtt{{{escaped}}}" if text.isascii() else rf"\text{{{escaped}}}"


def symbol_latex(nodes: Iterable[Any], texts: dict[Symbol, str], taken: Iterable[str] = ()) -> dict[Symbol, str]:
    """How each symbol is written, so that no two look alike.

    Args:
        nodes: the nodes, among them the symbols.
        texts: how the symbols are written as plain text, with scope or kind where names are not unique.
        taken: what is used for something else.
    """
    found = {node: latex_name(node.name) for node in nodes if isinstance(node, Symbol)}
    uses = Counter([*found.values(), *taken])
    return {node: shown if uses[shown] == 1 else literal(texts[node].replace("`", "")) for node, shown in found.items()}
