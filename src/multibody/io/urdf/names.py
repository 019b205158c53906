"""From the names of a file, which may be any text, to names that are identifiers and unique in a system."""

from __future__ import annotations

import keyword
import unicodedata
from collections.abc import Sequence

from multibody.graph.names import MAX_LENGTH

_MAX_STEM_LENGTH = MAX_LENGTH - 40
"""What a name may take, so that the names derived from it are not too long either."""


def identifier(name: str, kind: str) -> str:
    """A name that is an identifier and resembles the given one.

    Args:
        name: any text.
        kind: "link", "joint" …: put in front of what does not begin with a letter.

    Example:
        >>> identifier("panda_link0-x", "link"), identifier("left hip", "joint"), identifier("1", "joint")
        ('panda_link0_x', 'left_hip', 'joint_1')
        >>> identifier("class", "link")
        'class_'
    """
    text = unicodedata.normalize("NFKC", name)[:_MAX_STEM_LENGTH]
    text = "".join(letter if f"x{letter}".isidentifier() else "_" for letter in text)
    text = unicodedata.normalize("NFKC", text)
    if not text.strip("_") or not text.isidentifier() or (text.startswith("__") and text.endswith("__")):
        text = f"{kind}_{text.strip('_')}".rstrip("_")
    return f"{text}_" if keyword.iskeyword(text) else text


class Names:
    """The names of one system, given out once each.

    Attributes:
        originals: the file's name for each name that was given out for a link or joint.
    """

    def __init__(self) -> None:
        self._taken = {"t", "world"}
        self.originals: dict[str, str] = {}
        self._renamed: list[str] = []

    def take(self, wanted: str, kind: str, endings: Sequence[str] = ("",)) -> str:
        """A free identifier close to ``wanted``; free are also the names that its ``endings`` make.

        Args:
            wanted: the name in the file.
            kind: "link" or "joint", which also tells two equal names apart.
            endings: what is appended for coordinates, speeds and accelerations.
        """
        plain = identifier(wanted, kind)
        name, number = plain, 1
        while not self._free(name, endings):
            name = f"{plain}_{kind}" if number == 1 else f"{plain}_{kind}_{number}"
            number += 1
        self._taken.add(name)
        self._taken.update(name + ending for ending in endings)
        self.originals[name] = wanted
        if name != wanted:
            self._renamed.append(f"{kind} '{wanted}' is {name}")
        return name

    def helper(self, name: str) -> str:
        """A free name for something that the file has no name for."""
        free, number = name, 2
        while free in self._taken:
            free, number = f"{name}_{number}", number + 1
        self._taken.add(free)
        return free

    def _free(self, name: str, endings: Sequence[str]) -> bool:
        return name not in self._taken and not any(name + ending in self._taken for ending in endings)

    def messages(self) -> list[str]:
        """What was renamed."""
        if not self._renamed:
            return []
        return [f"Names in the system are identifiers and unique, so: {', '.join(self._renamed)}."]
