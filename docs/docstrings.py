"""Let one `Example:` in a docstring be shown as `Examples:` are: as code."""

import re
from typing import Any

import griffe


class OneExample(griffe.Extension):
    """The reading of docstrings for the documentation."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rename the section before it is parsed."""
        if obj.docstring:
            obj.docstring.value = re.sub(r"^Example:$", "Examples:", obj.docstring.value, flags=re.MULTILINE)
