"""The overview that is `hq --help`: what a founder does every day, or with `--all` every command. Written without click, so
that it costs hardly more than starting Python."""

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
EVERY_DAY = {
    "Talk to your company": {
        'chat "…"': "Say what you need, or ask anything; the CEO answers.",
        "inbox": "What waits for your word: approvals, choices, questions.",
        "ask": "Give your word: `hq ask answer <name> yes`, or no, or in words.",
        "catch-up": "What happened since you left.",
    },
    "See what it does": {
        "mission": "What is being worked on, by whom, what came of it; open it.",
        "agent": "Who works here, and what each is at.",
        "schedule": "What happens by the clock: add, see what is next.",
    },
    "Know and correct": {
        "search": "Find anything by its name, its words or its meaning.",
        "undo": "Take something back.",
        "freeze": "Stop everything, or one agent, at once; `hq thaw` goes on.",
    },
    "Run it": {
        "up, down": "Start hq and print its address; stop it. `-d` in the background.",
        "status": "Whether it runs, where, and how its parts are.",
        "onboard": "A few questions that set the company up; also later.",
        "mind": "Which provider and model answers, and whether it does.",
        "demo": "Watch a company at work for a minute, without a key.",
    },
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
    "--help --all": "Every command, or every option of one.",
}


def overview(screen: Screen, *, every: bool = False) -> Iterator[str]:
    yield f"hq {__version__}: the operating system for a company of AI agents."
    yield ""
    yield "Usage: hq <noun> <verb> [options]" if every else "Usage: hq <command> [options]"
    shown = sections() if every else EVERY_DAY
    wide = max(max(map(len, lines)) for lines in EVERY_DAY.values())
    for title, lines in shown.items():
        yield ""
        yield screen.bold(title)
        wide = max(map(len, lines)) if every else wide
        for name, says in lines.items():
            yield screen.fit(f"  {name:<{wide}}  {says}")
    yield ""
    yield from _ending(every)


def _ending(every: bool) -> Iterator[str]:
    if every:
        yield "`hq <noun> --help` lists its verbs, `hq <noun> <verb> --help` shows an example."
    else:
        yield "`hq <command> --help` shows what it takes, with an example."
        yield "`hq --help --all` shows every command there is."


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
