"""What a word without quotes means: the core schema of YAML 1.2 (section 10.3.2), where ``no`` is a text."""

from __future__ import annotations

import math
import re

from multibody.io.model_files.yaml_text.nodes import Plain

MAX_DIGITS = 1000

_WORDS: dict[str, Plain] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_WHOLE = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_DECIMAL = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NO_NUMBER = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")


def resolved(word: str) -> Plain:
    """The value of a word that stands without quotes.

    Raises:
        ValueError: for a number that is not finite or too long, with the reason.

    Example:
        >>> [resolved(word) for word in ("no", "true", "0x1F", "-1e-3", "~", "2*m")]
        ['no', True, 31, -0.001, None, '2*m']
    """
    if word in _WORDS:
        return _WORDS[word]
    if _WHOLE.fullmatch(word):
        if len(word) > MAX_DIGITS:
            raise ValueError(f"The number has {len(word)} digits.")
        return int(word, {"0o": 8, "0x": 16}.get(word[:2], 10))
    if _DECIMAL.fullmatch(word):
        number = float(word)
        if not math.isfinite(number):
            raise ValueError("The number is outside the range of floats, up to 1.8e308.")
        return number
    if _NO_NUMBER.fullmatch(word):
        raise ValueError(f"{word} is not a finite number.")
    return word
