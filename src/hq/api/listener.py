"""The socket to serve on, bound before anything else is started, so that a taken port costs nothing."""

from __future__ import annotations

import errno
import socket

from hq.errors import Outage
from hq.settings import Settings


def bind(settings: Settings) -> socket.socket:
    """A listening socket on HQ_HOST and HQ_PORT, or one sentence that says why not."""
    try:
        found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise Outage(f"HQ_HOST is {settings.host!r}, which is no address of this machine") from error
    family, kind, protocol, _, address = found[0]
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        # Only who listens holds the port: two sockets may be bound to it.
        listener.listen(1024)
    except OSError as error:
        listener.close()
        raise Outage(_sentence(settings, error)) from error
    return listener


def url_of(listener: socket.socket) -> str:
    """How a browser on this machine reaches it."""
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, str(host))
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _sentence(settings: Settings, error: OSError) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return f"port {settings.port} is taken by another program; stop that, or set HQ_PORT to another port"
        case errno.EACCES:
            return f"port {settings.port} needs more rights; set HQ_PORT to one above 1023"
        case errno.EADDRNOTAVAIL:
            return f"HQ_HOST is {settings.host!r}, which is no address of this machine"
        case _:
            return f"cannot listen on {settings.host} port {settings.port}: {error.strerror}; set HQ_HOST or HQ_PORT"
