"""Messages at the top of the page, and escaping of text."""

from __future__ import annotations

import html
import logging
from typing import Any

_log = logging.getLogger("multibody")

STYLE = "margin:.3em .8em;padding:.4em .6em;border-left:3px solid #d55e00;background:#fdf3ec;color:#222;"
STYLE += "font-size:.8em;white-space:pre-wrap;overflow-wrap:anywhere"

FEW = 3
"""More messages about one thing are folded."""


def escaped(text: object) -> str:
    """Text of the user's in a page: nothing in it is a tag, an attribute or a script.

    Example:
        >>> escaped("<b>'5 & 6'</b>")
        '&lt;b&gt;&#x27;5 &amp; 6&#x27;&lt;/b&gt;'
    """
    return html.escape(str(text), quote=True)


def _folded(texts: tuple[str, ...]) -> str:
    """Messages as HTML; many are folded, so that they do not hide the sliders."""
    boxes = "".join(f'<div style="{STYLE}">{escaped(text)}</div>' for text in texts)
    if len(texts) <= FEW:
        return boxes
    return f'<details style="{STYLE}"><summary>{len(texts)} messages: {escaped(texts[0])}</summary>{boxes}</details>'


class Notices:
    """Messages, each by what it is about; a new one takes the place of the old.

    Args:
        gui: viser's.
    """

    def __init__(self, gui: Any) -> None:
        self._handle = gui.add_html("", visible=False)
        self._texts: dict[str, tuple[str, ...]] = {}

    def tell(self, about: str, *texts: str) -> None:
        """Show messages, and log them; none means that all is well again."""
        if self._texts.get(about, ()) == texts:
            return
        for text in texts[:FEW]:
            _log.warning("%s", text)
        if len(texts) > FEW:
            _log.warning("%d more messages are in the page.", len(texts) - FEW)
        self._texts[about] = texts
        shown = [_folded(several) for several in self._texts.values() if several]
        self._handle.content = "".join(shown)
        self._handle.visible = bool(shown)

    @property
    def texts(self) -> tuple[str, ...]:
        """All that is shown."""
        return tuple(text for several in self._texts.values() for text in several)
