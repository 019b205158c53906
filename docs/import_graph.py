"""Draw which package imports which, as ``docs/imports.svg``: packages from top to bottom, an arc for every import.

The order of the packages is that of ``pyproject.toml``; the arcs are read from the code, wherever in a file an import
is. Run it after a change of the packages: ``python docs/import_graph.py``.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "multibody"
PICTURE = ROOT / "docs" / "imports.svg"

TOP, PITCH, LEFT, WIDTH, HEIGHT = 30, 48, 30, 150, 30  # of the boxes
BULGE = 0.62  # width of an arc in terms of its height


class Arrow(NamedTuple):
    """A package that imports another one."""

    importer: str
    imported: str


def layers() -> list[list[str]]:
    """The packages that exist, in the order of the layers; packages of one layer have no order."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    rows = ([name.strip(" ()") for name in re.split("[|:]", layer)] for layer in contracts[0]["layers"])
    return [[name for name in row if (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").exists()] for row in rows]


def arrows(package: Path) -> set[Arrow]:
    """All imports from one package to another; what the package itself imports for its users is left out."""
    arrows = set()
    for path in package.rglob("*.py"):
        name = path.relative_to(package).parts[0].removesuffix(".py")
        if name != "__init__":
            arrows |= {Arrow(name, other) for other in imported(path, package.name) if other != name}
    return arrows


def imported(path: Path, package: str) -> Iterator[str]:
    """The packages that a file imports: at its top, inside functions, or for types alone."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (module.split(".")[1] for module in modules if module.startswith(f"{package}."))


def nearest(found: set[Arrow]) -> set[Arrow]:
    """The arrows that no chain of other arrows replaces."""
    beyond: dict[str, set[str]] = {}

    def reached(package: str) -> set[str]:
        if package not in beyond:
            beyond[package] = set()  # packages in a circle end here
            for arrow in sorted(found):
                if arrow.importer == package:
                    beyond[package] |= {arrow.imported} | reached(arrow.imported)
        return beyond[package]

    below = {arrow: {a.imported for a in found if a.importer == arrow.importer} - {arrow.imported} for arrow in found}
    return {arrow for arrow in found if not any(arrow.imported in reached(package) for package in below[arrow])}


def drawing(rows: list[list[str]], found: set[Arrow]) -> str:
    """The picture as SVG."""
    packages = [package for row in rows for package in row]
    height = {package: TOP + PITCH * k + HEIGHT // 2 for k, package in enumerate(packages)}
    longest = max((abs(height[a.importer] - height[a.imported]) for a in found), default=0)
    size = LEFT + WIDTH + int(BULGE * longest / 2) + 40, 2 * TOP + PITCH * len(packages) - (PITCH - HEIGHT)
    near = nearest(found)
    ordered = sorted(found, key=lambda a: (a in near, height[a.importer], height[a.imported]))
    arcs = [_arc(height[a.importer], height[a.imported], "near" if a in near else "far", a) for a in ordered]
    boxes = [_box(height[package], package) for package in packages]
    return "\n".join([_head(*size), *arcs, *boxes, "</svg>", ""])


def _head(width: int, height: int) -> str:
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img"
     aria-labelledby="title description"
     font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif">
  <title id="title">Which package imports which</title>
  <desc id="description">
    The packages of multibody from top to bottom, with an arc from every package to each one that it imports.
    All arcs lead downward. Dark arcs are those that no chain of others replaces.
  </desc>
  <style>
    .box {{ fill: #ffffff; stroke: #9fb0c3; stroke-width: 1.5 }}
    .far {{ fill: none; stroke: #c3cfdb; stroke-width: 1.2 }}
    .near {{ fill: none; stroke: #12467f; stroke-width: 1.8 }}
    text {{ text-anchor: middle; fill: #1d2b3a; font-size: 15px; font-weight: 600 }}
  </style>
  <defs>
    <marker id="tip-far" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">
      <path d="M0 1 L10 5 L0 9 Z" fill="#9fb0c3"/>
    </marker>
    <marker id="tip-near" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="6" markerHeight="6" orient="auto">
      <path d="M0 1 L10 5 L0 9 Z" fill="#12467f"/>
    </marker>
  </defs>
  <rect x="1" y="1" width="{width - 2}" height="{height - 2}" rx="14" fill="#f7f9fc" stroke="#dbe2ea"/>"""


def _arc(start: int, end: int, kind: str, arrow: Arrow) -> str:
    """Half an ellipse from the lower part of one box to the upper part of another."""
    x, start, end = LEFT + WIDTH, start + 5, end - 5
    rise = (end - start) / 2
    ellipse = f"A{BULGE * abs(rise):.1f} {abs(rise):.1f} 0 0 {int(rise > 0)} {x + 2} {end}"
    title = f"<title>{arrow.importer} imports {arrow.imported}</title>"
    return f'  <path class="{kind}" d="M{x} {start} {ellipse}" marker-end="url(#tip-{kind})">{title}</path>'


def _box(middle: int, package: str) -> str:
    box = f'<rect class="box" x="{LEFT}" y="{middle - HEIGHT // 2}" width="{WIDTH}" height="{HEIGHT}" rx="7"/>'
    return f'  {box}\n  <text x="{LEFT + WIDTH // 2}" y="{middle + 5}">{package}</text>'


if __name__ == "__main__":
    PICTURE.write_text(drawing(layers(), arrows(PACKAGE)), encoding="utf-8")
