"""The page of the verbs, noun by noun, as the command line and HTTP have them."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from pydantic import BaseModel

from hq.app import catalogue, registry
from hq.cli import names
from hq.cli.help import command_line
from hq.cli.options import metavar, option_name
from hq.cli.verbs import find
from hq.door.access import Touch
from hq.door.gate import RISK
from hq.door.results import Row
from hq.door.verb import Verb
from scripts.reference.fields import fields
from scripts.reference.files import files_of
from scripts.reference.links import event_link, type_link, verb_link
from scripts.reference.markdown import anchor, codes, head, link, paragraph, table

INTRO = """
Every change and every question is a verb: a noun and an action, declared once. The command line, HTTP and the
JSON Schemas of `hq schema` are made from that declaration.

Every answer has the same shape, on the command line with `--json` and over HTTP:

```json
{"ok": true, "action": "create", "data": {}, "audit_event_id": "evt_…", "trace_id": "trc_…", "error": null, "sequence": "812"}
```

`audit_event_id` is what `hq undo` and `hq why` take. `sequence` names what a read saw or a write made; `--at` takes it.
When something is wrong, `ok` is false and `error` has a `code` of [the list](errors.md), a `message` and often a `hint`.

With every verb go a few things that are not its arguments:

| command line | HTTP | meaning |
|---|---|---|
| `--reason TEXT` | header `X-HQ-Reason` | Why; kept with the call. |
| `--actor ACTOR` | header `X-HQ-Actor` | As whom; only ever narrower than the credential. |
| `--key KEY` | header `Idempotency-Key` | The same key with the same arguments acts once. |
| `--at MOMENT` | query `at` | Reads only: as it was then. |
| `--known-at MOMENT` | query `known_at` | Reads only: as far as was known then. |

A moment is a date or a time, such as `2026-11-15` or `2026-11-15T09:30:00Z`, in UTC unless it says otherwise. `--at`,
`--known-at`, `--since` and `--until` also take `3d` for three days ago.

Kind: a `read` changes nothing and leaves a row in the ledger too; a `write` changes things in one transaction. Scope: what
the credential must hold; `founder` and `install` are for people alone. Undo: `exact` puts back what was, `compensating`
makes up for it with another call, `none` has no way back. For: whom the verb is for at all; the founder's devices are the founder,
`agent` is any agent, `session` a running session by itself, `house` hq's own jobs. In brackets, whose things an agent reaches by
an argument: its `own`, its `mission`'s, those of agents it has `led`, its `org`'s, or the whole `tenant`'s.

Gate: how risky a call is. The founder and the founder's devices are never asked. For everyone else the company's risk
tolerance (`hq tenant set --risk-tolerance …`) decides: do it, do it and tell the founder, or ask and wait.
"""


def page() -> Iterator[str]:
    yield from head("Verbs", INTRO)
    yield from _risks()
    nouns = {noun: list(group) for noun, group in groupby(_by_name(), key=lambda verb: verb.noun)}
    yield from table(
        ("noun", "verbs"),
        [(link(noun, f"#{anchor(noun)}"), ", ".join(verb_link(v) for v in group)) for noun, group in nouns.items()],
    )
    for noun, group in nouns.items():
        yield f"## {noun}"
        yield ""
        yield names.nouns()[noun] + (f" Its properties: {type_link(noun)}." if noun in catalogue().nodes else "")
        yield ""
        yield f"Files: {codes(files_of(noun))}."
        yield ""
        for verb in group:
            yield from _verb(verb)


def _risks() -> Iterator[str]:
    tolerances = ("cautious", "balanced", "aggressive")
    return table(
        ("gate class", *tolerances),
        [(f"`{gate}`", *(decisions[each] for each in tolerances)) for gate, decisions in RISK.items()],
    )


def _by_name() -> list[Verb]:
    return sorted(registry(), key=lambda verb: verb.name)


def _verb(verb: Verb) -> Iterator[str]:
    typed = find(verb.name)
    if typed is None:
        sys.exit("src/hq/cli/verbs.json is stale; run `make docs`")
    yield f"### {verb.name}"
    yield ""
    yield paragraph(inspect.getdoc(verb.handler) or verb.summary)
    yield ""
    yield "```text"
    yield _usage(typed)
    yield f"POST /api/{verb.noun}/{verb.action}"
    yield "```"
    yield ""
    yield f"- {_traits(verb)}"
    if verb.emits:
        yield f"- Emits {event_link(verb.emits)}."
    if not verb.changes and not verb.past:
        yield "- About now alone: `--at` and `--known-at` are refused."
    if verb.while_frozen:
        yield "- Goes through a freeze."
    if verb.shown_once:
        yield f"- Shown this once and kept nowhere: {codes(sorted(verb.shown_once))}."
    if verb.internal:
        yield "- Part of another command; `hq --help` does not list it."
    yield f"- Answers with {_result(verb.result)}."
    yield ""
    if typed.args:
        yield from fields(verb.args, "argument", [arg.name for arg in typed.args])
    if typed.examples:
        yield "```sh"
        yield from (command_line(typed, example) for example in typed.examples)
        yield "```"
        yield ""


def _usage(typed: Any) -> str:
    """As the help of the command line has it."""
    places = [arg.name.upper() if arg.required else f"[{arg.name.upper()}]" for arg in typed.args if arg.positional]
    required = [
        f"{option_name(arg.name)} {metavar(arg)}"
        for arg in typed.args
        if arg.required and not arg.positional and not arg.secret
    ]
    return " ".join([typed.command, *places, *required, "[options]"])


def _traits(verb: Verb) -> str:
    gate = f", gate `{verb.gate}`" if verb.changes else ""
    undo = f", undo {verb.undo}" if verb.changes else ""
    return f"Kind {verb.kind}, scope `{verb.scope}`{gate}{undo}. {_for(verb)}"


def _for(verb: Verb) -> str:
    """Whom it is for, and whose things it may touch."""
    if not verb.for_:
        return "A step of other verbs."
    touched = "; ".join(f"`{touch.arg}`: {_reach(touch)}" for touch in verb.touches)
    return f"For {', '.join(verb.for_)}{f' ({touched})' if touched else ''}."


def _reach(touch: Touch) -> str:
    special = [f"{who} {far}" for who, far in (("CEO", touch.ceo), ("operator", touch.operator)) if far != touch.agent]
    where = "in some calls " if touch.when else ""
    return ", ".join([f"{where}agents reach {touch.agent}{', but not their own' if touch.not_own else ''}", *special])


def _result(model: type[BaseModel]) -> str:
    parts = [
        f"`{info.serialization_alias or info.alias or name}`"
        + (f" ({info.description.rstrip('.')})" if info.description else "")
        for name, info in model.model_fields.items()
    ]
    more = " and what else a list of its type shows" if model is Row else ""
    return ", ".join(parts) + more
