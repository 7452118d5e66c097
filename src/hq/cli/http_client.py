"""The HTTP client: one exchange over a fresh connection. `http.client` would double what a command costs to start."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

import httptools

from hq.errors import Outage, Refused

CONNECT = 5.0  # seconds
ANSWER = 300.0
SILENCE = 45.0  # of a stream that tells of itself every 15
PORTS = {"http": 80, "https": 443}


class Unreachable(Outage):
    """Nothing answers there; the request was not sent."""


class ConnectionDropped(Outage):
    """The connection ended before the answer did; whether the request was carried out is not known."""


class Response(NamedTuple):
    status: int
    body: bytes


def post(url: str, headers: Mapping[str, str], body: bytes, seconds: float = ANSWER) -> Response:
    place = urlsplit(url)
    with _connected(place, min(CONNECT, seconds)) as connection:
        try:
            connection.settimeout(seconds)
            connection.sendall(_request("POST", place, headers, body))
            return _read(connection)
        except TimeoutError:
            raise Outage(f"{place.netloc} did not answer within {seconds:.0f} seconds") from None
        except (OSError, httptools.HttpParserError) as error:
            raise ConnectionDropped(f"the connection to {place.netloc} was lost ({error})") from error


class NoStream(Exception):
    """The server answered with something else."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status)
        self.response = response


def stream(url: str, headers: Mapping[str, str], until: float | None = None) -> Iterator[bytes]:
    """The parts of an answer that goes on, as they come. Ends with ConnectionDropped, whoever ended it, unless that moment of
    `time.monotonic` came first."""
    place = urlsplit(url)
    with _connected(place) as connection:
        reading = _ResponseReader()
        parser = httptools.HttpResponseParser(reading)
        try:
            connection.settimeout(SILENCE)
            connection.sendall(_request("GET", place, headers, b""))
            while True:
                if until is not None:
                    connection.settimeout(max(0.001, min(SILENCE, until - time.monotonic())))
                part = connection.recv(65536)
                if not part:
                    break
                parser.feed_data(part)
                if reading.begun and parser.get_status_code() == 200:
                    yield bytes(reading.body)
                    reading.body.clear()
                if reading.complete:
                    break
        except (OSError, httptools.HttpParserError) as error:
            if isinstance(error, TimeoutError) and until is not None and time.monotonic() >= until:
                return
            raise ConnectionDropped(f"the connection to {place.netloc} was lost ({error})") from error
    if reading.complete and parser.get_status_code() != 200:
        raise NoStream(Response(parser.get_status_code(), bytes(reading.body)))
    raise ConnectionDropped(f"{place.netloc} ended the stream")


def checked_url(url: str) -> str:
    try:
        place = urlsplit(url)
        sound = place.scheme in PORTS and place.hostname and (place.port is None or place.port > 0)
    except ValueError:
        sound = False
    if not sound:
        raise Refused.invalid(f"{url!r} is not the address of a server; it looks like https://hq.example.com")
    return url.rstrip("/")


def _connected(place: SplitResult, seconds: float = CONNECT) -> socket.socket:
    assert place.hostname
    try:
        # As bytes, so that Python does not load its tables for international names.
        host = place.hostname.encode("ascii" if place.hostname.isascii() else "idna")
        connection = socket.create_connection((host, place.port or PORTS[place.scheme]), seconds)  # type: ignore[arg-type]
        connection.settimeout(ANSWER)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if place.scheme == "http":
            return connection
        import ssl

        return ssl.create_default_context().wrap_socket(connection, server_hostname=place.hostname)
    except (OSError, ValueError) as error:
        raise Unreachable(f"no hq answers at {place.scheme}://{place.netloc} ({error})") from error


def _request(method: str, place: SplitResult, headers: Mapping[str, str], body: bytes) -> bytes:
    lines = [
        f"{method} {place.path}{'?' + place.query if place.query else ''} HTTP/1.1",
        f"Host: {place.netloc.rpartition('@')[2]}",
    ]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    lines += ["Connection: close", f"Content-Length: {len(body)}", "", ""]
    if any("\r" in line or "\n" in line for line in lines):
        raise Refused.invalid("a line break cannot be sent in --actor, --key or a token")
    return "\r\n".join(lines).encode("utf-8", "surrogateescape") + body


class _ResponseReader:
    def __init__(self) -> None:
        self.body = bytearray()
        self.begun = False
        self.complete = False

    def on_headers_complete(self) -> None:
        self.begun = True

    def on_body(self, part: bytes) -> None:
        self.body += part

    def on_message_complete(self) -> None:
        self.complete = True


def _read(connection: socket.socket) -> Response:
    reading = _ResponseReader()
    parser = httptools.HttpResponseParser(reading)
    while not reading.complete:
        part = connection.recv(65536)
        if not part:
            raise ConnectionDropped("the connection was closed before the answer was complete")
        parser.feed_data(part)
    return Response(parser.get_status_code(), bytes(reading.body))
