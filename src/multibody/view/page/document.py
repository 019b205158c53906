"""The HTML file: a template with its style, script and data; nothing is loaded from elsewhere."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

SCRIPTS = ("vectors.js", "motion.js", "camera.js", "stage.js", "plots.js", "page.js")
PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
UNSAFE = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}


def document(title: str, data: Mapping[str, Any], html: Mapping[str, str]) -> str:
    """A whole page.

    Args:
        title: as plain text.
        data: what the script shows.
        html: parts of the template, escaped already.
    """
    style, code = _part("page.css"), script()
    parts = {"title": escape(title), "data": embedded(data), "style": style, "script": code, **html}
    parts["policy"] = escape(policy(code, style))
    return PLACEHOLDER.sub(lambda found: parts[found[1]], _part("template.html"))


def embedded(data: Mapping[str, Any]) -> str:
    r"""JSON that cannot end the element it stands in, whatever names and descriptions contain.

    Example:
        >>> embedded({"name": "</script>"})
        '{"name":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(UNSAFE)


def policy(code: str, style: str) -> str:
    """What the page may do: run this script, use this style; nothing is loaded, and nothing is sent."""
    return "; ".join([
        "default-src 'none'", f"script-src {_hashed(code)}", f"style-src {_hashed(style)}", "img-src data:",
        "base-uri 'none'", "form-action 'none'",
    ])  # fmt: skip


@cache
def script() -> str:
    """All scripts as one, which leaves nothing behind but ``window.multibody``."""
    return "\n".join(['(() => {\n"use strict";', *(_part(name) for name in SCRIPTS), "})();"])


def _hashed(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}'"


@cache
def _part(name: str) -> str:
    return files("multibody.view.page").joinpath(name).read_text(encoding="utf-8")
