"""Write ``docs/gallery.md`` and its pictures: run every script of ``examples/gallery``.

Run it when a script changes: ``python docs/gallery_pages.py`` for all of them, or with names for these alone.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = ROOT / "examples" / "gallery"
PAGE = ROOT / "docs" / "gallery.md"
PICTURES = ROOT / "docs" / "gallery"

GROUPS = {
    "Pendulums": """pendulum double_pendulum cartesian_pendulum spherical_pendulum hanging_double_pendulum n_link_chain
        movable_double_pendulum fourfold_pendulum block_and_pendulums five_body_chain cart_pole crane_crab""",
    "Linkages": """four_bar slider_crank n_four_bar andrews spatial_four_bar spatial_slider_crank bricard
        wheel_loader excavator double_wishbone""",
    "Rolling": "rolling_disc rolling_disc_forces wheel_pair bicycle bicycle_stability",
    "Tops and wheels": "heavy_top gyroscope governor satellite",
    "Platforms and arms": "stewart_platform hexapod puma560",
    "First steps": "prismatic_joint momenta_and_energies",
}
"""Scripts in the order of the page."""

HEAD = """# Gallery

Short scripts with a picture each, among them every model of the [library](library.md) and every example of the
documents that this project grew from. Each is complete: run it, and it writes its picture. Each states numbers that
are published or known in closed form, and ends with an error if they are missed. Below each picture stands what the
script prints. All benchmark problems with their numbers are in a table of [published numbers](published_numbers.md).

```sh
python examples/gallery/pendulum.py               # writes pendulum.png here
python examples/gallery/pendulum.py swing.png     # or to the path that you give
```
"""


def names() -> list[str]:
    """All scripts, in the order of the page."""
    return [name for group in GROUPS.values() for name in group.split()]


def told(name: str) -> tuple[str, str]:
    """The title of a script, and what its docstring says: the rest of the first line, and what stands below it."""
    text = ast.get_docstring(ast.parse((SCRIPTS / f"{name}.py").read_text(encoding="utf-8"))) or ""
    first, _, rest = text.partition("\n\n")
    title, _, sentence = first.partition(": ")
    return title, f"{sentence[0].upper()}{sentence[1:]}\n\n{rest}"


def result(printed: str) -> str:
    """What is shown of the output: all that follows the last empty line."""
    return printed.rstrip().rpartition("\n\n")[2]


def entry(name: str, printed: str) -> str:
    """A script on the page."""
    title, text = told(name)
    code = (SCRIPTS / f"{name}.py").read_text(encoding="utf-8").rstrip()
    return f"""
### {title}

![{title}](gallery/{name}.png)

{text}

```text
{result(printed)}
```

<details>
<summary>examples/gallery/{name}.py</summary>

```py
{code}
```

</details>
"""


def page(printed: Mapping[str, str]) -> str:
    """The whole page, from what the scripts have printed."""
    groups = (
        f"\n## {title}\n" + "".join(entry(name, printed[name]) for name in group.split())
        for title, group in GROUPS.items()
    )
    return HEAD + "".join(groups)


def shown(text: str) -> dict[str, str]:
    """What scripts print, as it stands on a page."""
    blocks = re.findall(r"```text\n(.*?)\n```\n\n<details>\n<summary>examples/gallery/(\w+)\.py", text, re.DOTALL)
    return {name: printed for printed, name in blocks}


def run(name: str) -> str:
    """Run a script, which draws its picture, and take what it prints."""
    command = [sys.executable, str(SCRIPTS / f"{name}.py"), str(PICTURES / f"{name}.png")]
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout  # noqa: S603


def lighten(picture: Path) -> None:
    """Store a picture with 256 colours, which looks the same and takes a third of the bytes."""
    from PIL import Image

    with Image.open(picture) as image:
        few = image.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    few.save(picture, optimize=True)


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    outputs = shown(PAGE.read_text(encoding="utf-8")) if len(sys.argv) > 1 else {}
    for script in sys.argv[1:] or names():
        outputs[script] = run(script)
        lighten(PICTURES / f"{script}.png")
    PAGE.write_text(page(outputs), encoding="utf-8")
