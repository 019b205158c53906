"""``show``: from whatever there is to see to a page in the browser."""

from __future__ import annotations

import logging
import os
import sys
import webbrowser
from collections.abc import Mapping
from typing import Any

from multibody.errors import ModelError
from multibody.linear import LinearizedSystem
from multibody.simulate import Trajectory
from multibody.view.subject import values_for, with_run
from multibody.view.viewer.moment import Motion, Run
from multibody.view.viewer.server import Server
from multibody.view.viewer.viewer import Viewer

_log = logging.getLogger("multibody")


def show(
    thing: Any, run: Trajectory | None = None, *, parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, Any] | None = None, title: str = "",
    host: str = "127.0.0.1", port: int = 8080, browser: bool = True, block: bool | None = None,
) -> Viewer:  # fmt: skip
    """Show a system in the browser: sliders, play button, plots, forces.

    Args:
        thing: a ``System``, a robot from ``read_urdf``, equations from ``derive`` (then forces and energies are shown,
            and the page can simulate), a run from ``simulate``, or a linear system from ``linearize``, whose modes are
            shown.
        run: a run of it, to be played.
        parameters: values by name, where they are not the defaults; a run brings its own.
        inputs: laws by name, as for ``simulate``, for runs that the page makes; without them, inputs, events and
            integrator are those of the run before. Where these are not known, because the run was read from a file,
            inputs repeat their recorded values, and the page says so. Those that are moved by a slider are constant.
        title: of the page; by default the name of the system.
        host: the address to listen at. With another one than this machine's own, others can see the page.
        port: the first one to try; if it is in use, the next ones are.
        browser: whether to open the page; if there is no browser, its address is logged.
        block: whether to wait until Ctrl-C. By default a script waits, since its end would be the end of the page, and
            a notebook or an interactive session goes on.

    Returns:
        The viewer, which can be closed.

    Raises:
        ModelError: if there is nothing to show in it, or if the run is that of another system.

    Example:
        >>> import multibody as mb
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 1, (0, 0, -1)), "Ry")
        >>> with show(pendulum, port=0, browser=False, block=False) as viewer:
        ...     viewer.url.rpartition(":")[0]
        'http://127.0.0.1'
    """
    linear = thing if isinstance(thing, LinearizedSystem) else None
    run = thing if isinstance(thing, Trajectory) and run is None else run
    shown = with_run(thing, run)
    values = _parameters(run, linear, parameters)
    motion: Motion | None = None if run is None else Run(run)
    server = Server(host, port, title or shown.model.name)
    try:
        if browser:  # now: it loads the page while the scene is built
            _open(server.url)
        viewer = Viewer(server, shown, motion, values, linear, inputs or {})
    except BaseException:
        server.close()
        raise
    if block or (block is None and not interactive()):
        if not browser:  # or nobody would know where it is
            _log.warning("The viewer is at %s, until Ctrl-C.", server.url)
        viewer.wait()
    return viewer


def _parameters(
    run: Trajectory | None, linear: LinearizedSystem | None, given: Mapping[str, float] | None
) -> dict[str, float]:
    """Values by name: those of the run or of the operating point, or what was given."""
    values = dict(values_for(run, given) or {})
    if linear is not None:
        if values:
            raise ModelError(
                "A linear system brings its own parameters.", where="show",
                remedy="Leave out 'parameters'; linearize with others first.",
            )  # fmt: skip
        names = (one.name for one in linear.point.model.parameter_symbols)
        return dict(zip(names, map(float, linear.point.p), strict=True))
    return values


def interactive() -> bool:
    """Whether somebody can go on typing: in a notebook, in IPython, or after ``python -i``."""
    ipython = sys.modules.get("IPython")
    return hasattr(sys, "ps1") or bool(sys.flags.interactive) or bool(ipython and ipython.get_ipython())


def in_notebook() -> bool:
    """Whether there is a page already in which the viewer can be."""
    ipython = sys.modules.get("IPython")
    return bool(ipython and ipython.get_ipython() and "ipykernel" in sys.modules)


def _open(url: str) -> None:
    """Open a page; without a screen or a browser say where it is."""
    if in_notebook():
        return
    screen = sys.platform in {"win32", "darwin"} or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")))
    try:
        opened = bool(screen) and webbrowser.open(url)
    except (webbrowser.Error, OSError):
        opened = False
    if opened:
        _log.info("The viewer is at %s", url)
    else:
        _log.warning("No browser was found; the viewer is at %s", url)
