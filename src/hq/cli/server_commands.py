"""Commands of the server and the home: up, down, status, doctor, logs, mcp-serve. What is heavy is loaded when it is
needed."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import wraps
from itertools import chain
from typing import Any, NoReturn

import click

from hq.cli.output import print_json
from hq.cli.request import failed, succeeded
from hq.errors import HqError, Outage
from hq.settings import Settings
from hq.terminal.screen import Screen

TERMINATED = 143
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def plainly(command: Callable[..., Any]) -> Callable[..., Any]:
    """What goes wrong becomes one sentence on stderr, or with --json the contract of a failed call, and an exit code."""

    @wraps(command)
    def run(*args: Any, **options: Any) -> Any:
        try:
            return command(*args, **options)
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            _fail(Outage(f"{where}{error.strerror or error}"), command.__name__, options)
        except HqError as error:
            _fail(error, command.__name__, options)

    return run


def _fail(error: HqError, command: str, options: Mapping[str, Any]) -> NoReturn:
    if options.get("as_json"):
        print_json(failed(command, error).contract)
    else:
        click.echo(f"hq: {error.message}" + (f"; {error.hint}" if error.hint else ""), err=True)
    raise click.exceptions.Exit(error.code.exit)


def _saying(command: str, as_json: bool) -> Callable[[str], None]:
    """How a command says what it did: as it is, or in the contract of a call."""
    return (lambda text: print_json(succeeded(command, {"message": text}).contract)) if as_json else click.echo


@click.command()
@click.option(
    "--port", type=click.IntRange(0, 65535), help="The port to serve on; 0 takes a free one. Default: HQ_PORT or 8300."
)
@click.option("--host", help="The address to serve on. Default: HQ_HOST or this machine alone.")
@click.option("--background", "-d", is_flag=True, help="Come back as soon as it is ready; `hq down` stops it.")
@JSON
@plainly
def up(port: int | None, host: str | None, background: bool, as_json: bool) -> None:
    """Start hq: its database, its announcer and its server. Prints the address and a one-time login link.

    Ctrl-C or `hq down` stops it in order.

    \b
    Example:
      hq up
      hq up -d --port 9000
    """
    settings = Settings.load()
    settings = replace(settings, port=settings.port if port is None else port, host=host or settings.host)
    if background:
        from hq.cli.background import start

        start(settings, click.echo, as_json=as_json)
    else:
        from hq.api.start import serve

        serve(settings, _saying("up", as_json))


@click.command()
@JSON
@plainly
def down(as_json: bool) -> None:
    """Stop hq in order: calls under way finish, then the database stops.

    \b
    Example:
      hq down
    """
    from hq.cli.down import stop

    _saying("down", as_json)(stop(Settings.load()))


@click.command()
@JSON
@plainly
def status(as_json: bool) -> None:
    """Whether hq is running, where, and how its parts are. Exit code 0 when it runs, 1 when not.

    \b
    Example:
      hq status
      hq status --json
    """
    from hq.cli.status import ServerStatus

    found = ServerStatus.of(Settings.load())
    lines = [json.dumps(found.as_dict(), indent=2)] if as_json else found.lines(Screen.of(sys.stdout))
    click.echo("\n".join(lines))
    sys.exit(found.exit_code)


@click.command()
@JSON
@plainly
def doctor(as_json: bool) -> None:
    """Check everything hq needs, and really start a scratch database. Exit code 2 when something must be mended.

    \b
    Example:
      hq doctor
    """
    from hq.cli.doctor import examine

    findings = []
    for finding in examine(Settings.load()):
        findings.append(finding)
        if not as_json:
            click.echo(finding.line(Screen.of(sys.stdout)))
    well = all(finding.state != "fail" for finding in findings)
    if as_json:
        click.echo(json.dumps({"ok": well, "checks": [asdict(finding) for finding in findings]}, indent=2))
    sys.exit(0 if well else 2)


@click.command()
@click.option(
    "-n", "--lines", default=50, show_default=True, type=click.IntRange(0), help="How many of the last lines."
)
@click.option("-f", "--follow", is_flag=True, help="Go on showing what is added.")
@click.option("--json", "as_json", is_flag=True, help="The lines as they are stored.")
@plainly
def logs(lines: int, follow: bool, as_json: bool) -> None:
    """Show what hq logged, oldest first.

    \b
    Example:
      hq logs -n 20
      hq logs -f
    """
    from hq.cli.logs import added, last, readable

    file, screen = Settings.load().log_file, Screen.of(sys.stdout)
    tail = last(file, lines)
    for line in chain(tail.lines, added(file, tail.end) if follow else ()):
        click.echo(line if as_json else readable(line, screen))


@click.command()
@click.argument("company", required=False)
@plainly
def recover(company: str | None) -> None:
    """Come back in when the home's token is lost: a new one for the founder, written to the home.

    Only whoever owns the home's files or the database can do this; it is in the ledger as auth.recover.

    \b
    Example:
      hq recover
    """
    import asyncio

    from hq.headquarters import recover_token

    settings = Settings.load()
    slug = asyncio.run(recover_token(settings, company))
    click.echo(f"{settings.token_file} holds a new token for the founder of {slug}; `hq auth list` shows the old ones")


@click.command("mcp-serve")
@click.option("--actor", help="Act as somebody narrower than the token, such as agent:chief.")
@click.option(
    "--tools", "tools", multiple=True, metavar="TOOL", help="Offer only this tool; may be said several times."
)
@plainly
def mcp_serve(actor: str | None, tools: tuple[str, ...]) -> None:
    """Serve the Model Context Protocol on stdin and stdout, for a client that starts hq as its server.

    What is offered is what the token allows: HQ_TOKEN, or else this home's own. A client that speaks HTTP needs neither:
    it takes the address of the running server with /mcp, and asks you in the browser.

    \b
    Example:
      claude mcp add hq -- hq mcp-serve --actor agent:chief
      hq mcp-serve --tools task --tools graph_search
    """
    gc.disable()  # what is made while the protocol's library loads all stays: looking through it is a fifth of the start
    from hq.cli.mcp import serve

    gc.freeze()
    gc.enable()
    serve(Settings.load(), actor, tools)


@click.command("run", short_help="Work on agents' sessions in one more process; `hq worker` alone does the same.")
@click.option(
    "--room", type=click.IntRange(1, 256), help="How many sessions at a time; HQ_SESSIONS_AT_ONCE unless said."
)
@plainly
def run_worker(room: int | None) -> None:
    """Work on agents' sessions beside `hq up`, on this machine or on another with the same HQ_DATABASE_URL.

    Any number may run. Ctrl-C or SIGTERM lets what is under way reach its next step, and another worker goes on from there.

    \b
    Example:
      hq worker --room 16
    """
    from hq.cli.worker import work

    settings = Settings.load()
    work(settings, room or settings.sessions_at_once)


@click.command()
@click.option("--fast", is_flag=True, help="Without pauses.")
@plainly
def demo(fast: bool) -> None:
    """Watch a company at work for a minute: on a scratch home, without a key, without network.

    \b
    Example:
      hq demo
    """
    import asyncio

    from hq.cli.demo.web_app_story import play

    try:
        asyncio.run(play(fast=fast))
    except asyncio.CancelledError:
        sys.exit(TERMINATED)
    except KeyboardInterrupt:
        click.echo("\nStopped; the scratch home is gone.", err=True)
        raise


COMMANDS = (up, down, status, doctor, logs, recover, mcp_serve, demo)
