"""The overview that is `hq --help`. Written without click, so that it costs hardly more than starting Python."""

from __future__ import annotations

from hq import __version__
from hq.cli.names import aliases, command_name, nouns, summary, typed, under
from hq.terminal.screen import Screen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

HOUSE_COMMANDS = {
    "up": "Start hq, or say that it runs, and print its address.",
    "down": "Stop hq in order.",
    "status": "Whether hq runs, where, and how its parts are.",
    "doctor": "Check that everything hq needs works on this machine.",
    "logs": "Show what hq logged.",
    "recover": "Come back in when the token of the home is lost.",
    "demo": "Watch a company at work for a minute, on a scratch home and without a key.",
    "mcp-serve": "Serve the Model Context Protocol on stdin and stdout.",
}
ANY_NODE = ("search", "describe", "timeline", "history", "why", "link", "unlink", "undo")
OWN = {
    "as-of": "Run any read as of a moment: hq as-of 2026-01-01 describe acme.",
    "completion": "Print the completion script for bash, zsh or fish.",
}
CONTROL = (
    "action",
    "approval",
    "artifact",
    "auth",
    "connector",
    "events",
    "freeze",
    "grant",
    "http",
    "ledger",
    "mind",
    "schema",
    "session",
    "sql",
    "ssh",
    "tenant",
    "tools",
    "vault",
    "webhook",
)
EVERYWHERE = {
    "--json": "The whole result contract instead of text.",
    "--actor, --reason": "As whom (never more than the credential allows), and why.",
    "--at, --known-at": "As it was then; as far as was known then.",
    "--help, --version": "This page, or that of a command; the version.",
}


def overview(screen: Screen) -> Iterator[str]:
    yield f"hq {__version__}: the operating system for a company of AI agents."
    yield ""
    yield "Usage: hq <noun> <verb> [options]"
    for title, lines in sections().items():
        yield ""
        yield screen.bold(title)
        wide = max(map(len, lines))
        for name, says in lines.items():
            yield screen.fit(f"  {name:<{wide}}  {says}")
    yield ""
    yield "`hq <noun> --help` lists its verbs, `hq <noun> <verb> --help` shows an example."


def sections() -> dict[str, dict[str, str]]:
    short = {name: _clause(summary(verb)) for name, verb in aliases().items()}
    own = typed() - {"graph", *under()}
    long = {command_name(noun): _clause(says) for noun, says in nouns().items() if noun in own}
    any_node = {name: short[name] for name in ANY_NODE if name in short}
    control = {name: says for name, says in long.items() if name in CONTROL}
    control |= {name: says for name, says in short.items() if name not in any_node and name not in long}
    return {
        "The house": HOUSE_COMMANDS,
        "Every day": {name: says for name, says in long.items() if name not in CONTROL},
        "Any node": any_node | {"as-of": OWN["as-of"]},
        "Control": dict(sorted(control.items())) | {"completion": OWN["completion"]},
        "Everywhere": EVERYWHERE,
    }


def _clause(text: str) -> str:
    """The first sentence: a list of commands has no room for a second."""
    return text.partition(". ")[0].rstrip(".") + "."
