"""The server of the page: for this machine alone unless another host is given; sharing is disabled.

The page is viser's own; no file of the user is served. Whoever asks from another page, such as one on the internet that
the user happens to look at, is turned away by the origin that a browser tells.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import io
import ipaddress
import logging
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from multibody.errors import ModelError
from multibody.graph.number import is_whole
from multibody.support.optional_libraries import require_library

_log = logging.getLogger("multibody")

PAUSE = 1 / 250
"""Seconds that messages wait for others to go with them; they are sent as a whole anyway."""

PORTS = 1000
"""How many are tried, from the wanted one on."""


class Server:
    """A page in the browser.

    Args:
        host: the address that it listens at.
        port: the first one to try; 0 for any.
        title: at the top of the page's panel.

    Attributes:
        viser: the server that does the work.
        url: where the page is.
    """

    def __init__(self, host: str, port: int, title: str) -> None:
        free = free_port(host, port)
        if not is_loopback(host):
            _log.warning("The page can be seen and used by everybody who reaches '%s', port %d.", host, free)
        viser = require_library("viser", "view")
        with _quiet():
            self.viser: Any = viser.ViserServer(host=host, port=free, label=title, verbose=False)
        self._guard(host)
        self.viser._websock_server.get_message_buffer().window_duration_sec = PAUSE
        self.viser.gui.configure_theme(show_share_button=False, show_logo=False, control_width="medium")
        self.viser.gui.main_panel.dock_right()
        shown = "127.0.0.1" if host in {"0.0.0.0", "", "::"} else f"[{host}]" if ":" in host else host  # noqa: S104
        self.url = f"http://{shown}:{self.viser.get_port()}"
        self._open = True
        atexit.register(self.close)  # viser's own end would print something

    @property
    def port(self) -> int:
        """The one that it got."""
        return int(self.viser.get_port())

    def close(self) -> None:
        """Stop serving; a second time does nothing."""
        if self._open:
            self._open = False
            atexit.unregister(self.close)
            with _quiet():
                self.viser.stop()

    def _guard(self, host: str) -> None:
        """The page cannot make it public, and other pages get no connection."""
        messages = require_library("viser._messages", "view")
        inner = self.viser._websock_server
        for kind in (messages.ShareUrlRequest, messages.ShareUrlDisconnect):
            inner.unregister_handler(kind)

        async def refuse_foreign_pages(client: Any) -> None:
            connection = inner._live_connections[client.client_id]
            headers = connection.request.headers
            if not welcome(headers.get("Origin"), headers.get("Host", ""), host):
                _log.warning("A page from %.200r wanted to see the viewer, and was turned away.", headers["Origin"])
                await connection.close(1008, "other origin")

        inner.on_client_connect(refuse_foreign_pages)


def welcome(origin: str | None, asked: str, host: str) -> bool:
    """Whether a page of this origin may connect: the viewer's own page, on whatever port it was forwarded to.

    Args:
        origin: what the browser tells; None from programs that are no browsers.
        asked: the host and port that it believes to talk to.
        host: the address that the server listens at.

    Example:
        >>> welcome("http://localhost:8080", "localhost:8080", "127.0.0.1")
        True
        >>> welcome("https://example.org", "127.0.0.1:8080", "127.0.0.1")
        False
    """
    if origin is None:
        return True
    parts = urlsplit(origin)
    if is_loopback(host):
        return is_loopback(parts.hostname or "")
    return parts.netloc == asked


def is_loopback(host: str) -> bool:
    """Whether an address means this machine alone."""
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


def free_port(host: str, port: int) -> int:
    """The first free port from a given one on.

    Raises:
        ModelError: if there is none, or if the host is not this machine.
    """
    if not isinstance(host, str):
        raise ModelError(
            f"{host!r:.80} is not a host.",
            code="host-invalid",
            where="show",
            remedy="Leave it out, or give a name as text.",
            kind=type(host).__name__,
        )
    if not is_whole(port) or not 0 <= port <= 65535:
        raise ModelError(
            f"{port!r} is not a port.",
            code="port-invalid",
            where="show",
            remedy="Give a number from 1024 to 65535.",
            value=str(port)[:80],
        )
    for candidate in range(port, min(port + PORTS, 65536)):
        trouble = _taken(host, candidate)
        if trouble is None:
            if candidate != port:
                _log.info("Port %d is in use; it is %d instead.", port, candidate)
            return candidate
        if trouble.errno not in {errno.EADDRINUSE, errno.EACCES}:
            raise ModelError(
                f"The viewer cannot listen at '{host}'.", code="host-unusable", where="show", cause=str(trouble),
                remedy="Give an address of this machine, or leave the host out.", host=host, port=candidate,
            )  # fmt: skip
    raise ModelError(
        "All ports are in use.", code="ports-in-use", where="show", remedy=f"Give another one than {port}.", port=port
    )


def _taken(host: str, port: int) -> OSError | None:
    """What is wrong with a port, if anything."""
    try:
        kind = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        with socket.socket(kind[0], kind[1]) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(kind[4])
            trial.listen()
    except OSError as error:
        return error
    return None


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without the panel that viser prints."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield
