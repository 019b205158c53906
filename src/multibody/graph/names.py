"""Names: which are allowed, and how each is spelled in another language.

A name is any identifier, also one that is a keyword elsewhere (``lambda``, ``end``, ``der``, ``I``): it is the target's
business to spell it, and ``escape`` does so reversibly. A keyword gets an underscore (``lambda_``, hence ``lambda_``
becomes ``lambda__``), a letter that the language does not know becomes its code point (``φ`` is ``u03c6_``).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence, Set as AbstractSet
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from multibody.errors import InvalidNameError, ModelError, MultibodyError

if TYPE_CHECKING:
    from multibody.graph.text.languages import Language

MAX_LENGTH = 200

GREEK = dict(
    zip(
        "αβγδεζηθικλμνξοπρςστυφχψω",
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho varsigma sigma tau "
        "upsilon phi chi psi omega".split(),
        strict=True,
    )
)
"""The names of the Greek letters."""
GREEK |= {letter.upper(): name.capitalize() for letter, name in GREEK.items() if letter != "ς"}

_PLAIN = re.compile(rf"[A-Za-z][A-Za-z0-9_]{{0,{MAX_LENGTH - 1}}}")
_CODE = re.compile(r"u([0-9a-f]{4,6})_")


def element_name(name: str, place: Iterable[int]) -> str:
    """The name of an element of an array: of a parameter, an input or what a sensor measures.

    It is an identifier, so that it is the same in formulas, files and all languages. Places are counted from 1 in it.

    Args:
        name: of the array.
        place: the index of the element, counted from 0 as Python does.

    Example:
        >>> element_name("tip", (2,)), element_name("R", (0, 1)), element_name("angle", ())
        ('tip_3', 'R_1_2', 'angle')
    """
    return "_".join([name, *(str(k + 1) for k in place)])


_OTHER_ELEMENT = re.compile(r"(?P<name>.+?)(?P<place>(\[\d{1,9}\])+|(\.\d{1,9})+|[._][xyz]|_0)")


def usual_element_name(name: str, arrays: Iterable[str]) -> str:
    """The name of an element that was written in another way; nothing if no array is meant.

    Example:
        >>> [usual_element_name(name, ["tip"]) for name in ("tip[2]", "tip.x", "tip_z", "tip_0", "tap[2]")]
        ['tip_3', 'tip_1', 'tip_3', 'tip_1', '']
    """
    match = _OTHER_ELEMENT.fullmatch(name)
    if match is None or match["name"] not in set(arrays):
        return ""
    digits = [int(k) for k in re.findall(r"\d+", match["place"])]
    return element_name(match["name"], digits or ["xyz".index(match["place"][-1])])


def check(name: object, what: str = "symbol", longest: int = MAX_LENGTH) -> str:
    """The name itself if it can be used as one, otherwise an ``InvalidNameError``.

    Args:
        name: a Python identifier, ASCII or Unicode.
        what: the thing that is to be named, for the message.
        longest: how many characters it may have; more than a user's names where something is added to these.

    Example:
        >>> check("φ_1"), check("lambda")
        ('φ_1', 'lambda')
        >>> check("2x", what="parameter")
        Traceback (most recent call last):
            ...
        multibody.errors.InvalidNameError: '2x' cannot be the name of a parameter. [name-invalid]
          cause: It begins with a digit.
          fix: Use letters, digits and underscores, with a letter first, for example 'x2x'.
    """
    if isinstance(name, str) and _PLAIN.fullmatch(name):
        return name
    if not isinstance(name, str):
        cause, remedy = f"It is of type {type(name).__name__}.", "Give a string."
    else:
        cause, remedy = _fault(name, longest)
        if not cause:
            return name
    shown = name[:40] + "…" if isinstance(name, str) and len(name) > 40 else name
    raise InvalidNameError(
        f"{shown!r:.80} cannot be the name of {with_article(what)}.", cause=cause, remedy=remedy, name=str(shown)[:80]
    )


def with_article(what: str) -> str:
    """A word as a sentence has it.

    Example:
        >>> with_article("input"), with_article("joint")
        ('an input', 'a joint')
    """
    return f"{'an' if what[:1] in 'aeiou' else 'a'} {what}"


def suggestion(unknown: Iterable[object], known: Iterable[str]) -> str:
    """What was probably meant by names that are not known; empty if nothing looks like them.

    Example:
        >>> suggestion(["anlge"], ["angle", "angle_dot", "M"])
        "Did you mean 'angle'?"
        >>> suggestion(["L"], ["l", "m"])
        "Did you mean 'l'?"
        >>> suggestion([3], ["angle"])
        '3 is not text.'
    """
    from difflib import get_close_matches  # only where something is wrong

    listed = list(known)
    for name in unknown:
        if not isinstance(name, str):
            return f"{name!r:.80} is not text."
        usual = usual_element_name(name, listed)
        near = [usual] if usual else [candidate for candidate in listed if candidate.lower() == name.lower()]
        near = near or get_close_matches(name, listed, 3)
        if near:
            return f"Did you mean {' or '.join(map(repr, near))}?"
    return ""


def require_known_names(
    names: Iterable[Any], known: Iterable[str], kind: str = "", *, purpose: str = "", remedy: str = "",
    cause: str = "", error: type[MultibodyError] = ModelError, **details: Any,
) -> None:  # fmt: skip
    """Require that all names are known.

    Args:
        names: what the user wrote.
        known: what exists; sets are listed in alphabetical order.
        kind: what is named, such as "parameter".
        purpose: what for, such as "to be renamed".
        remedy: the beginning of the remedy, before the list of known names.
        cause: the likely reason where no known name looks like an unknown one.
        error: the class of the error.
        details: code, place and fields of the error; ``name`` takes the place of ``names``.

    Raises:
        MultibodyError: with all names that are not known, and with what was probably meant.

    Example:
        >>> require_known_names(["lenght"], ["length", "m"], "parameter", code="name-unknown", where="system 'arm'")
        Traceback (most recent call last):
            ...
        multibody.errors.ModelError: There is no parameter 'lenght'. [name-unknown]
          where: system 'arm'
          cause: Did you mean 'length'?
          fix: The parameters are: length, m.
    """
    listed = sorted(known) if isinstance(known, AbstractSet) else list(known)
    existing = frozenset(listed)
    unknown = tuple(name for name in names if name not in existing)
    if unknown:
        raise unknown_names(unknown, listed, kind, purpose=purpose, remedy=remedy, cause=cause, error=error, **details)


def unknown_names(
    unknown: Sequence[Any], known: Iterable[str], kind: str = "", *, purpose: str = "", remedy: str = "",
    cause: str = "", error: type[MultibodyError] = ModelError, **details: Any,
) -> MultibodyError:  # fmt: skip
    """The error for names that are not known; see ``require_known_names``.

    Example:
        >>> unknown_names(["x"], ["a", "b"], "quantity").remedy
        'The quantities are: a, b.'
    """
    listed = list(known)
    beginning = remedy or (f"The {_plural(kind)} are" if kind.isidentifier() else "There are")
    fields = details if "name" in details else {"names": tuple(map(str, unknown)), **details}
    return error(
        f"{' '.join(filter(None, ['There is no', kind, ', '.join(map(repr, unknown)), purpose]))}.",
        cause=suggestion(unknown, listed) or cause,
        remedy=f"{beginning}: {', '.join(listed) or 'none'}.",
        **fields,
    )


def _plural(kind: str) -> str:
    """The plural of a kind of thing, such as "parameters" and "quantities"."""
    return f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}s"


def _fault(name: str, longest: int) -> tuple[str, str]:
    """What is wrong with a name and what to do about it; two empty strings if nothing is."""
    if not name:
        return "It is empty.", "Give it at least one letter."
    if len(name) > longest:
        return f"It has {len(name)} characters.", f"Use at most {longest}."
    if not name.isidentifier():
        odd = next((c for c in name if not f"x{c}".isidentifier()), "")
        first = "a digit" if name[0].isdigit() else repr(name[0])
        cause = f"It contains {odd!r}." if odd else f"It begins with {first}."
        return cause, f"Use letters, digits and underscores, with a letter first, for example {_repaired(name)!r}."
    normal = unicodedata.normalize("NFKC", name)
    if normal != name:
        return "Its letters have another, normal form; the two look alike but differ.", f"Write {normal!r}."
    if name.startswith("__") and name.endswith("__"):
        return "Names with two underscores on both sides belong to Python.", "Leave the underscores away."
    return "", ""


def _repaired(name: str) -> str:
    letters = "".join(c if f"x{c}".isidentifier() else "_" for c in unicodedata.normalize("NFKC", name)[:40])
    return letters if letters.isidentifier() else f"x{letters}"


def _rules(target: str) -> Language:
    """What a name may look like in a language."""
    from multibody.graph.text.languages import language  # late: only those who write code for other tools need it

    return language(target)


def escape(name: str, target: str) -> str:
    """The spelling of a name in another language: valid there, no keyword, different for different names.

    Args:
        name: a name that has passed ``check``.
        target: "python", "c", "cpp", "matlab", "modelica", "julia", "rust", "javascript" or "sympy-text".

    Example:
        >>> escape("m_crab", "c"), escape("int", "c"), escape("φ", "c"), escape("φ", "python")
        ('m_crab', 'int_', 'u03c6_', 'φ')
    """
    rules = _rules(target)
    spelled = f"{name}_" if name.rstrip("_") in rules.reserved else name
    literal = {match.start() for match in _CODE.finditer(spelled)}
    result = ""
    for i, letter in enumerate(spelled):
        coded = i in literal or not _allowed(letter, result, rules)
        result += f"u{ord(letter):04x}_" if coded else letter
    return result


def _allowed(letter: str, before: str, rules: Language) -> bool:
    """Whether a letter may stand as it is after the text ``before``."""
    if letter == "_" and not before:
        return rules.first_underscore
    if letter == "_" and before.endswith("_"):
        return rules.double_underscore
    return letter not in rules.encoded and (letter.isascii() or not rules.ascii_only)


def unescape(spelled: str, target: str) -> str:
    """The name behind a spelling: ``unescape(escape(name, target), target) == name``.

    Example:
        >>> unescape("int_", "c"), unescape("u03c6_1", "c")
        ('int', 'φ1')
    """
    plain = _CODE.sub(lambda match: chr(int(match[1], 16)), spelled)
    return plain[:-1] if plain.endswith("_") and plain.rstrip("_") in _rules(target).reserved else plain


def unique_names(names: Iterable[str], target: str, taken: Iterable[str] = ()) -> dict[str, str]:
    """Readable spellings for the names of one program: all different, valid, and no keyword.

    A name that is valid as it is stays; Greek letters are spelled out where that leads to no collision.

    Args:
        names: names that have passed ``check``.
        target: the language, as for ``escape``.
        taken: identifiers that the program uses already.

    Example:
        >>> unique_names(["φ", "m", "end"], "matlab")
        {'φ': 'phi', 'm': 'm', 'end': 'end_'}
        >>> unique_names(["φ", "phi"], "c")
        {'φ': 'u03c6_', 'phi': 'phi'}
    """
    rules, ordered, used = _rules(target), list(dict.fromkeys(names)), set(taken)
    spelled: dict[str, str] = {}
    for name in ordered:  # first those that can stay as they are
        if name not in used and escape(name, target) == name and len(name) <= rules.max_length:
            spelled[name] = name
            used.add(name)
    for name in ordered:
        if name not in spelled:
            spelled[name] = _free_spelling(name, target, used)
            used.add(spelled[name])
    return {name: spelled[name] for name in ordered}


def _free_spelling(name: str, target: str, used: set[str]) -> str:
    limit = _rules(target).max_length
    greek = "".join(GREEK.get(c, c) for c in name)
    for candidate in (escape(greek, target), escape(name, target)):
        if candidate not in used and len(candidate) <= limit:
            return candidate
    stem, number = escape(name, target)[: limit - 14].rstrip("_"), 0
    while True:
        digest = blake2b(f"{name} {number}".encode(), digest_size=5).hexdigest()
        candidate = f"{stem}_h{digest}"
        if candidate not in used:
            return candidate
        number += 1
