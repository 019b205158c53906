"""Pages for a system and a run: ``write_page`` and ``page_html``."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from multibody.errors import ModelError
from multibody.simulation import Trajectory
from multibody.support.files import atomic_file, destination, refuse_existing
from multibody.view.page.geometry import geometry
from multibody.view.page.motions import PageMotion, of_run, packed_motions
from multibody.view.page.packing import rounded
from multibody.view.page.signals import signals
from multibody.view.page.sweeps import of_sweeps
from multibody.view.page.tables import notices, sections, summary
from multibody.view.scenes.build import scene as scene_of
from multibody.view.scenes.camera import FIELD, bounds, camera
from multibody.view.scenes.placement import Poses
from multibody.view.scenes.scene import Scene
from multibody.view.scenes.subject import values_for, with_run

ASPECT = 1.3
"""Width by height of the picture that the camera is placed for; the page shows as much from left to right in others."""

SCRIPTS = ("vectors.js", "motion.js", "camera.js", "stage.js", "plots.js", "page.js")
PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
UNSAFE = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}


def write_page(
    thing: Any, path: str | PathLike[str], run: Trajectory | None = None, *, plots: Sequence[str] = (),
    equations: bool = True, title: str | None = None, parameters: Mapping[str, float] | None = None,
    overwrite: bool = False,
) -> Path:  # fmt: skip
    """Write one HTML file with everything in it: it opens in any browser, without a server and without a network.

    With a run it shows the animation, the plots, the sensors, the parameters and the equations. Without one, every
    degree of freedom has a slider, and closed loops follow.

    Args:
        thing: a ``System``, a robot, equations, or a run.
        path: of the file.
        run: what ``simulate`` has returned; not needed if it is the thing itself.
        plots: names of what to plot; by default coordinates and energies.
        equations: whether they are shown, if there are any: those of the run, or of the thing.
        title: of the page; by default the name of the system.
        parameters: values by name, where they are not the defaults; a run brings its own.
        overwrite: whether a file of this name may be replaced.

    Returns:
        Where the file is.

    Raises:
        StorageError: if the file exists already, or cannot be written.
        ModelError: if the run belongs to another system.

    Example:
        >>> import tempfile
        >>> import multibody as mb
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 1, (0, 0, -1)), "Ry", q=1.0)
        >>> run = mb.simulate(mb.derive(pendulum), duration=2.0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_page(pendulum, f"{folder}/pendulum.html", run).name
        'pendulum.html'
    """
    file = destination(path, "write_page(system, 'page.html', run)")
    refuse_existing(file, overwrite)  # before anything is computed
    text = page_html(thing, run, plots=plots, equations=equations, title=title, parameters=parameters)
    with atomic_file(file, overwrite) as stream:
        stream.write(text.encode())
    return file


def page_html(
    thing: Any, run: Trajectory | None = None, *, plots: Sequence[str] = (), equations: bool = True,
    title: str | None = None, parameters: Mapping[str, float] | None = None,
) -> str:  # fmt: skip
    """The text of the page; see ``write_page``."""
    run = thing if run is None and isinstance(thing, Trajectory) else run
    shown, names = with_run(thing, run), _names(plots)
    scene = scene_of(shown, values_for(run, parameters))
    if run is None and names:
        raise ModelError(
            "There is nothing to plot without a run.",
            code="run-missing",
            where=f"system '{scene.model.name}'",
            remedy="Give a run, too.",
            names=list(names),
        )
    motions, messages = of_sweeps(scene) if run is None else ([of_run(scene, run)], [])
    data = {
        "places": [place.name for place in scene.places], **_looks(scene, motions), **geometry(scene),
        **packed_motions(motions), "run": None if run is None else signals(run, names),
    }  # fmt: skip
    html = {
        "kind": "sweeps" if run is None else "run", "summary": summary(scene, run),
        "notices": notices(scene, run, messages),
        "sections": sections(scene, shown.eom if equations else None, run),
    }  # fmt: skip
    return document(scene.model.name if title is None else str(title), data, html)


def _names(plots: Any) -> Sequence[str]:
    names = [plots] if isinstance(plots, str) else plots
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise ModelError(
            f"{plots!r:.100} are not names of plots.",
            code="plot-names-invalid",
            where="page",
            remedy="Give some, such as plots=['angle'].",
            kind=type(plots).__name__,
        )
    return names


def _looks(scene: Scene, motions: Sequence[PageMotion]) -> dict[str, Any]:
    """Where the camera is, and a ground below everything that moves."""
    poses = Poses(*(np.concatenate(part) for part in zip(*(motion.poses for motion in motions), strict=True)))
    eye, target, up = camera(scene, poses, aspect=ASPECT)
    low, high = bounds(scene, poses)
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    reach = float(np.linalg.norm(high - low)) or scene.size
    ground = {
        "level": float((corners @ up).min() - 0.02 * reach), "middle": rounded((low + high) / 2),
        "reach": 2.5 * reach, "spacing": _round(reach / 12),
    }  # fmt: skip
    view = {"eye": rounded(eye), "target": rounded(target), "up": rounded(up), "field": FIELD, "aspect": ASPECT}
    return {"camera": view, "ground": ground}


def _round(length: float) -> float:
    """The power of ten, or its double or fivefold, just above."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(next(factor * power for factor in (1, 2, 5, 10) if factor * power >= length * (1 - 1e-9)))


# the HTML file: a template with its style, script and data; nothing is loaded from elsewhere --------------------------


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
