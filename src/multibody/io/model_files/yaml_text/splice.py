"""Values put into a YAML text, character by character, so that all the rest stays as a person wrote it."""

from __future__ import annotations

from typing import Any

from multibody.io.model_files.yaml_text.emit import flow, scalar
from multibody.io.model_files.yaml_text.nodes import List, Mapping, YamlNode


def replaced(text: str, node: YamlNode, value: Any) -> str:
    """The text with another value in the place of a node."""
    start, end = node.at.index, last(text, node)
    gap = " " if start == end and text[start - 1 : start].strip() else ""  # a key without a value: 'm:'
    return f"{text[:start]}{gap}{flow(value)}{text[end:]}"


def added(text: str, parent: YamlNode, key: str, value: Any) -> str:
    """The text with a new key at the end of a mapping."""
    if not isinstance(parent, Mapping) or not parent.entries:
        return replaced(text, parent, {key: value})
    *_, final = parent
    end = last(text, final.value)
    said = f"{scalar(key)}: {flow(value)}"
    if _is_flow(text, parent):
        return f"{text[:end]}, {said}{text[end:]}"
    first = next(iter(parent)).at
    end += len(text[end:].partition("\n")[0].removesuffix("\r"))  # behind a comment in that line
    line_end = "\r\n" if "\r\n" in text else "\n"
    return f"{text[:end]}{line_end}{' ' * (first.column - 1)}{said}{text[end:]}"


def last(text: str, node: YamlNode) -> int:
    """The end of a node without blank lines and comments that follow it."""
    if isinstance(node, Mapping) and node.entries and not _is_flow(text, node):
        *_, final = node
        return last(text, final.value)
    if isinstance(node, List) and node.items and not _is_flow(text, node):
        return last(text, node.items[-1])
    return node.at.index + len(text[node.at.index : node.end].rstrip())


def _is_flow(text: str, node: YamlNode) -> bool:
    return text[node.at.index : node.at.index + 1] in ("{", "[")
