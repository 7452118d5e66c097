"""Transport of a call to the door: over HTTP to a running server, or straight on the database. The answer is the
same."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, NamedTuple, cast
from urllib.parse import quote, urlsplit

from hq.cli import remote
from hq.cli.http_client import ANSWER, ConnectionDropped, Response, Unreachable, checked_url, post
from hq.cli.request import CommandAnswer, CommandRequest
from hq.cli.verbs import CliVerb
from hq.errors import Outage
from hq.home import read_token
from hq.server_lock import find
from hq.settings import Settings

if TYPE_CHECKING:
    from hq.door.outcome import ResultContract

CONTRACT = ("ok", "action", "data", "audit_event_id", "trace_id", "error", "sequence")
LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Server(NamedTuple):
    url: str
    token: str | None
    local: bool = False
    """The server of this very home: when it does not answer, its database can be asked instead."""


def send(request: CommandRequest, verb: CliVerb, settings: Settings, url: str | None = None) -> CommandAnswer:
    if verb.changes and request.key is None:
        request = request._replace(key=os.urandom(16).hex())  # so that repeating it after a lost connection is safe
    server = reach(settings, url)
    if server is None:
        return _direct(request, settings)
    try:
        return over_http(request, server)
    except ConnectionDropped:
        return _again(request, server, settings)
    except Unreachable:
        if not server.local:
            raise
        return _direct(request, settings)


def reach(settings: Settings, url: str | None = None) -> Server | None:
    """The server to talk to: the one that is named, the one logged in to, or the one of this home."""
    if settings.direct and not url:
        return None
    if named := url or settings.url:
        return Server(checked_url(named), _token_for(named, settings))
    if login := remote.read(settings):
        return Server(login.url, settings.token or login.token)
    try:
        running = find(settings)
    except OSError as error:
        raise Outage(f"the home {settings.home} cannot be looked into ({error.strerror or error})") from error
    return Server(running.url, read_token(settings), local=True) if running else None


def _again(request: CommandRequest, server: Server, settings: Settings) -> CommandAnswer:
    """Once more under the same key: what was done the first time is not done twice."""
    try:
        return over_http(request, server)
    except Unreachable:
        if not server.local:
            raise
        return _direct(request, settings)


def _token_for(url: str, settings: Settings) -> str | None:
    """The founder's own token never leaves this machine for a server it does not belong to."""
    if settings.token:
        return settings.token
    login = remote.read(settings)
    if login and login.url == url.rstrip("/"):
        return login.token
    return read_token(settings) if urlsplit(url).hostname in LOOPBACK else None


def over_http(request: CommandRequest, server: Server, seconds: float = ANSWER) -> CommandAnswer:
    noun, _, action = request.verb.partition(".")
    query = {"at": request.at, "known_at": request.known_at}
    asked = "&".join(
        f"{name}={quote(value, safe='', errors='surrogateescape')}" for name, value in query.items() if value
    )
    url = f"{server.url}/api/{noun}/{action}{'?' + asked if asked else ''}"
    response = post(url, _headers(request, server), json.dumps(request.args).encode(), seconds)
    return CommandAnswer(contract(response, server), server.url)


def _headers(request: CommandRequest, server: Server) -> dict[str, str]:
    headers = {
        "Content-Type": "application/json",
        "Authorization": f"Bearer {server.token}" if server.token else None,
        "Idempotency-Key": request.key,
        "X-HQ-Actor": request.actor,
        "X-HQ-Reason": quote(request.reason, safe=" ", errors="surrogateescape") or None,
    }
    return {name: value for name, value in headers.items() if value is not None}


def contract(response: Response, server: Server) -> ResultContract:
    try:
        found = json.loads(response.body)
    except ValueError:
        found = None
    if not isinstance(found, dict) or "ok" not in found:
        raise Outage(
            f"what answers at {server.url} is not hq (HTTP {response.status})",
            hint="check the address: --url or HQ_URL",
        )
    return cast(
        "ResultContract", {name: found.get(name) for name in CONTRACT}
    )  # a problem document says more, and nothing new


def _direct(request: CommandRequest, settings: Settings) -> CommandAnswer:
    from hq.cli.local_call import call

    return CommandAnswer(call(request, settings))
