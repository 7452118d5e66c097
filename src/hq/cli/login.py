"""`hq auth login`: a link for the founder's browser here, or a session at a server somewhere else."""

from __future__ import annotations

import socket
import sys
from urllib.parse import parse_qs, urlsplit

import click

from hq.cli import flags, remote, verbs
from hq.cli.commands import VerbCommand
from hq.cli.output import print_json, show
from hq.cli.request import CommandAnswer, CommandRequest
from hq.cli.transport import send
from hq.errors import Refused
from hq.server_lock import find
from hq.settings import Settings
from hq.terminal.screen import aside


class LoginCommand(VerbCommand):
    def __init__(self) -> None:
        verb = verbs.find("auth.login")
        assert verb is not None
        code = click.Option(
            ["--code", "_code"], metavar="CODE", help="A one-time code of the server at --url; - reads it from a pipe."
        )
        super().__init__(verb, [code])

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_help(ctx, formatter)
        with formatter.section("At another server"):
            formatter.write_text("hq auth login --url https://hq.example.com --code CODE")
            formatter.write_text("Every later command goes there, until `hq auth logout`.")

    def invoke(self, ctx: click.Context) -> int:
        given, settings = flags.given(ctx), Settings.load()
        url, code = _link(given.url or settings.url, ctx.params.get("_code"))
        if code:
            return self._exchange(url, code, given, settings)
        answer = send(
            CommandRequest("auth.login", {}, reason=given.reason or "", key=given.key), self.verb, settings, given.url
        )
        if given.json or not answer.ok:
            return show(answer, self.verb, given)
        print(_here(answer, settings) + answer.data["path"])
        if not given.quiet:
            aside("good once, within 15 minutes")
        return 0

    def _exchange(self, url: str | None, code: str, given: flags.Flags, settings: Settings) -> int:
        if not url:
            raise Refused.invalid("say at which server: --url https://hq.example.com")
        verb = verbs.find("auth.exchange")
        assert verb is not None
        asked = CommandRequest("auth.exchange", {"device": socket.gethostname()[:60] or "laptop"})
        answer = send(asked, verb, _with_token(settings, code), url)
        if not answer.ok:
            return show(answer, verb, given)
        file = remote.keep(settings, remote.RemoteLogin(url, answer.data["token"]))
        if given.json:
            print_json({**answer.contract, "data": {**answer.data, "token": f"kept in {file}"}})
        else:
            print(f"logged in to {url} as {answer.data['actor']}")
            aside(f"kept in {file}; `hq auth logout` forgets it")
        return 0


class LogoutCommand(click.Command):
    def __init__(self) -> None:
        super().__init__("logout", short_help="Forget the server that commands go to since `hq auth login --url`.")

    def invoke(self, ctx: click.Context) -> int:
        login = remote.forget(Settings.load())
        print(f"forgot {login.url}" if login else "not logged in anywhere else")
        return 0


def _link(url: str | None, code: str | None) -> tuple[str | None, str | None]:
    """A whole login link may be given as the address."""
    if code == "-":
        code = sys.stdin.readline().strip()
    if url and (found := parse_qs(urlsplit(url).query).get("code")):
        place = urlsplit(url)
        return f"{place.scheme}://{place.netloc}{place.path.removesuffix('/login')}", code or found[0]
    return url.rstrip("/") if url else None, code


def _here(answer: CommandAnswer, settings: Settings) -> str:
    if answer.url:
        return answer.url
    if running := find(settings):
        return running.url
    aside("hq is not running; `hq up` first, then open this")
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{settings.port}"


def _with_token(settings: Settings, token: str) -> Settings:
    from dataclasses import replace

    return replace(settings, token=token)
