"""Completion of names: what a shell offers for `hq mission show fl<Tab>`, asked of the running server. Quick, or not at all."""

from __future__ import annotations

from click.shell_completion import CompletionItem

from hq.cli.names import manifest
from hq.cli.request import CommandRequest
from hq.cli.transport import over_http, reach
from hq.cli.verbs import Argument, CliVerb
from hq.errors import HqError
from hq.json_types import NodeItem
from hq.settings import Settings

SECONDS = 1.5
"""Who presses Tab does not wait longer than that."""
MOST = 200
NAMES = ("slug", "name", "worker", "session", "action", "id")
ABOUT = ("title", "question", "verb", "description", "status")
ANY_NODE = ("mission", "task", "agent", "project", "entity", "contact")
"""Where a name may be of any type: those that a person works with."""
OTHER_WORDS = {"owner": "agent", "to": "agent", "from": "agent", "accountable": "agent", "informed": "agent", "parent": "mission",
               "driver": "agent", "on": "agent", "id": "action", "lead": "agent"}  # fmt: skip
"""Arguments that are called by what they are for."""


def offered(verb: CliVerb, arg: Argument, typed: str) -> list[CompletionItem]:
    """The names that begin so; none where no server runs, or it does not answer in time."""
    try:
        settings = Settings.load()
        found = [item for noun in _nouns(verb, arg) for item in _items(noun, settings)]
    except (HqError, OSError, ValueError):
        return []
    named = {str(name): item for item in found if (name := next((item[key] for key in NAMES if item.get(key)), None))}
    return [CompletionItem(name, help=_about(item)) for name, item in named.items() if name.startswith(typed)]


def _nouns(verb: CliVerb, arg: Argument) -> tuple[str, ...]:
    """Of which nouns the argument takes a name."""
    if arg.choices or arg.type not in ("string", "array") or arg.items != "string":
        return ()
    if arg.positional and arg.name in ("ref", "id", "slug", "name") and verb.noun != "graph":
        return (verb.noun,) if verb.noun in _listed() and verb.action not in ("create", "set", "add") else ()
    if verb.noun == "graph" and arg.positional and arg.name != "query":
        return ANY_NODE
    noun = arg.name if arg.name in _listed() else OTHER_WORDS.get(arg.name, "")
    return (noun,) if noun in _listed() else ()


def _listed() -> set[str]:
    return {name.partition(".")[0] for name in manifest()["verbs"] if name.endswith(".list")}


def _items(noun: str, settings: Settings) -> list[NodeItem]:
    server = reach(settings)
    if server is None:
        return []
    takes = {arg["name"] for arg in manifest()["verbs"][f"{noun}.list"].get("args", ())}
    args = {"limit": MOST} if "limit" in takes else {}
    answer = over_http(CommandRequest(f"{noun}.list", args), server, SECONDS)
    found = answer.data.get("items") if answer.ok else None
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _about(item: NodeItem) -> str:
    return next((" ".join(str(item[key]).split())[:60] for key in ABOUT if item.get(key)), "")
