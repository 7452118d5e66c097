"""Writes docs/reference/*.md from the code: verbs, node types, edge types, events, settings, errors.

`python scripts/reference.py` writes the pages anew; with `--check` it only says which of them are stale.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
import typing
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from pydantic import BaseModel

import hq
from hq import errors, settings
from hq.api.problems import HTTP_CODES
from hq.app import catalogue, registry
from hq.cli import names
from hq.cli.help import command_line
from hq.cli.options import metavar, option_name
from hq.cli.verbs import find
from hq.door.gate import RISK
from hq.door.results import Row
from hq.door.verb import Verb
from hq.graph.catalogue import flat_schema
from hq.graph.types import ANY, Edge, Node

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "reference"
SOURCE = Path(hq.__file__).parent
NOTE = "<!-- Made by scripts/reference.py from the code. Change the code, then run `make docs`. -->"
PER_SOURCE = {"many": "any number", "one": "one at most", "exactly_one": "exactly one"}
# Read outside Settings, because they must work before, or without, anything else of hq.
BESIDE = {
    "HQ_DEBUG": "1 makes the command line print the whole traceback of what went wrong.",
    "NO_COLOR": "Any text turns colours off on a terminal.",
    "COLUMNS": "How wide the terminal is taken to be, instead of what it says itself.",
}


def pages() -> dict[str, str]:
    """Every page by its file name."""
    made = {
        "verbs.md": verbs(),
        "types.md": types(),
        "edges.md": edges(),
        "events.md": events(),
        "settings.md": settings_(),
        "errors.md": errors_(),
    }
    return {name: "\n".join(lines).rstrip() + "\n" for name, lines in made.items()}


# ---- verbs


def verbs() -> Iterator[str]:
    yield from _head("Verbs", VERBS_INTRO)
    nouns = {noun: list(group) for noun, group in groupby(_by_name(), key=lambda verb: verb.noun)}
    yield from _table(
        ("noun", "verbs"),
        [(_link(noun, f"#{anchor(noun)}"), ", ".join(_verb_link(v) for v in group)) for noun, group in nouns.items()],
    )
    for noun, group in nouns.items():
        yield f"## {noun}"
        yield ""
        yield names.nouns()[noun] + (f" Its properties: {_type_link(noun)}." if noun in catalogue().nodes else "")
        yield ""
        for verb in group:
            yield from _verb(verb)


def _by_name() -> list[Verb]:
    return sorted(registry(), key=lambda verb: verb.name)


def _verb(verb: Verb) -> Iterator[str]:
    typed = find(verb.name)
    if typed is None:
        sys.exit("src/hq/cli/verbs.json is stale; run `make docs`")
    yield f"### {verb.name}"
    yield ""
    yield _paragraph(inspect.getdoc(verb.handler) or verb.summary)
    yield ""
    yield "```text"
    yield _usage(typed)
    yield f"POST /api/{verb.noun}/{verb.action}"
    yield "```"
    yield ""
    yield f"- {_traits(verb)}"
    if verb.emits:
        yield f"- Emits {_event_link(verb.emits)}."
    if not verb.changes and not verb.past:
        yield "- About now alone: `--at` and `--known-at` are refused."
    if verb.while_frozen:
        yield "- Goes through a freeze."
    if verb.shown_once:
        yield f"- Shown this once and kept nowhere: {_codes(sorted(verb.shown_once))}."
    if verb.hidden:
        yield "- Part of another command; `hq --help` does not list it."
    yield f"- Answers with {_result(verb.result)}."
    yield ""
    yield from _arguments(verb, [arg.name for arg in typed.args])
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
    return f"Kind {verb.kind}, scope `{verb.scope}`{gate}{undo}."


def _result(model: type[BaseModel]) -> str:
    fields = [
        f"`{info.serialization_alias or info.alias or name}`"
        + (f" ({info.description.rstrip('.')})" if info.description else "")
        for name, info in model.model_fields.items()
    ]
    more = " and what else a list of its type shows" if model is Row else ""
    return ", ".join(fields) + more


def _arguments(verb: Verb, order: Sequence[str]) -> Iterator[str]:
    schema = flat_schema(verb.args)
    parts, required = schema.get("properties", {}), set(schema.get("required", ()))
    if not parts:
        return
    yield from _table(
        ("argument", "type", "default", "meaning"),
        [(f"`{name}`", _kind(parts[name]), *_told(name, parts[name], required)) for name in order],
    )


def _told(name: str, part: dict[str, Any], required: Iterable[str]) -> tuple[str, str]:
    notes = [_paragraph(part.get("description", ""))]
    notes += ["By its place on the command line."] if part.get("positional") else []
    return _default(part, name in required), " ".join(note for note in notes if note)


def _default(part: dict[str, Any], required: bool) -> str:
    if required:
        return "required"
    value = part.get("default")
    return "" if value in (None, "", [], {}) else f"`{json.dumps(value, ensure_ascii=False)}`"


def _kind(part: dict[str, Any]) -> str:
    """A JSON Schema in a word or two."""
    kinds = [kind for kind in part.get("anyOf", [part]) if kind.get("type") != "null"]
    return " or ".join(dict.fromkeys(_one_kind(kind) for kind in kinds))


def _one_kind(part: dict[str, Any]) -> str:
    if "enum" in part:
        return " \\| ".join(f"`{value}`" for value in part["enum"])
    if "const" in part:
        return f"`{part['const']}`"
    match part.get("type"):
        case "array":
            return f"list of {_kind(part.get('items', {}))}"
        case "string" if part.get("format") == "date-time":
            return "moment"
        case "object" if part.get("properties"):
            return f"object of {_codes(part['properties'])}"
        case "integer" | "number" as kind:
            return kind + _range(part)
        case kind:
            return str(kind or "anything")


def _range(part: dict[str, Any]) -> str:
    low, high = part.get("minimum"), part.get("maximum")
    if low is not None and high is not None and high < 2**31:
        return f", {low:g} to {high:g}"
    if "exclusiveMinimum" in part:
        return f", above {part['exclusiveMinimum']:g}" + (f", to {high:g}" if high is not None else "")
    return f", from {low:g}" if low is not None else ""


# ---- node types


def types() -> Iterator[str]:
    yield from _head("Node types", TYPES_INTRO)
    rooms: dict[str, list[type[Node]]] = {}
    for model in catalogue().nodes.values():
        rooms.setdefault(model.__module__, []).append(model)
    yield from _table(
        ("room", "types"),
        [(_link(_room(m), f"#{anchor(_room(m))}"), ", ".join(_type_link(n.type) for n in g)) for m, g in rooms.items()],
    )
    for module, group in rooms.items():
        yield f"## {_room(module)}"
        yield ""
        yield _paragraph(sys.modules[module].__doc__ or "")
        yield ""
        for model in group:
            yield from _type(model)


def _room(module: str) -> str:
    """`hq.business.types.crm` is the room business, its file crm."""
    room, *rest = [part for part in module.split(".")[1:] if part != "types"]
    return f"Room {room}: {rest[0]}" if rest else f"Room {room}"


def _type(model: type[Node]) -> Iterator[str]:
    schema = flat_schema(model)
    required = set(schema.get("required", ()))
    yield f"### {model.type}"
    yield ""
    yield _paragraph(inspect.getdoc(model) or "")
    yield ""
    yield f"- {_named(model)}"
    if model.type in {verb.noun for verb in registry()}:
        yield f"- Verbs: [`hq {names.command_name(model.type)}`](verbs.md#{anchor(model.type)})."
    if model.redaction != "none":
        yield f"- Redaction: {model.redaction}."
    leaving, reaching = _ends_of(model.type)
    if leaving:
        yield f"- Edges from it: {', '.join(leaving)}."
    if reaching:
        yield f"- Edges to it: {', '.join(reaching)}."
    yield ""
    yield from _table(
        ("field", "type", "default", "meaning"),
        [(f"`{name}`", _kind(part), *_told(name, part, required)) for name, part in schema["properties"].items()],
    )
    if model.relations:
        yield from _table(
            ("relation", "edge", "meaning"),
            [
                (f"`--{names.command_name(name)}`", _edge_link(each.edge) + (" (to it)" if each.inward else ""), each.meaning)
                for name, each in model.relations.items()
            ],
        )  # fmt: skip
    if model.moves:
        yield from _states(model)


def _named(model: type[Node]) -> str:
    parts = [f"Named by `{model.title_field}`"]
    if model.numbered:
        parts.append("numbered within its type")
    if model.occurred:
        parts.append(f"placed on the timeline by `{model.occurred}`")
    return ", ".join(parts) + "."


def _states(model: type[Node]) -> Iterator[str]:
    yield f"Moves of `{model.state_field}`:"
    yield ""
    for state in model.states():
        onward = ", ".join(f"`{to}`" for to in model.moves[state])
        yield f"- `{state}` → {onward or 'nothing: it is final'}"
    yield ""
    yield "```mermaid"
    yield "stateDiagram-v2"
    first = model.model_fields[model.state_field].default
    if isinstance(first, str):
        yield f"    [*] --> {first}"
    yield from (f"    {state} --> {to}" for state in model.states() for to in model.moves[state])
    yield "```"
    yield ""


def _ends_of(type_: str) -> tuple[list[str], list[str]]:
    """Edges that name this type; those open to any type are told once, in the introduction."""
    known = sorted(catalogue().edges.values(), key=lambda edge: edge.name)
    leaving = [
        _edge_link(edge.name) + (" (exactly one)" if edge.cardinality == "exactly_one" else "")
        for edge in known
        if type_ in edge.ends
    ]
    reaching = [_edge_link(edge.name) for edge in known if any(type_ in targets for targets in edge.ends.values())]
    return leaving, reaching


# ---- edge types


def edges() -> Iterator[str]:
    yield from _head("Edge types", EDGES_INTRO)
    known = [edge for _, edge in sorted(catalogue().edges.items())]
    yield from _table(
        ("edge", "per source", "evidence", "from the other end", "meaning"),
        [
            (
                _edge_link(edge.name, page=""),
                PER_SOURCE[edge.cardinality],
                "yes" if edge.evidence else "",
                f"`{edge.inverse}`" if edge.inverse else "",
                edge.meaning,
            )
            for edge in known
        ],
    )
    yield "## Ends"
    yield ""
    for edge in known:
        yield from _edge(edge)


def _edge(edge: Edge) -> Iterator[str]:
    yield f"### {edge.name}"
    yield ""
    yield edge.meaning
    yield ""
    together: dict[tuple[str, ...], list[str]] = {}
    for source, targets in edge.ends.items():
        together.setdefault(targets, []).append(source)
    for targets, sources in together.items():
        yield f"- {_any_of(sources)} → {_any_of(targets)}"
    yield ""
    if edge.props:
        schema = flat_schema(edge.props)
        required = set(schema.get("required", ()))
        yield from _table(
            ("property", "type", "default", "meaning"),
            [(f"`{name}`", _kind(part), *_told(name, part, required)) for name, part in schema["properties"].items()],
        )


def _any_of(found: Sequence[str]) -> str:
    return ", ".join("any type" if type_ == ANY else _type_link(type_, "types.md") for type_ in found)


# ---- events


@dataclass(frozen=True, order=True)
class Said:
    """An event as it stands in the source."""

    topic: str
    by: str
    payload: tuple[str, ...]


def events() -> Iterator[str]:
    yield from _head("Events", EVENTS_INTRO)
    found = emitted()
    rooms = {noun: list(group) for noun, group in groupby(found, key=lambda said: _noun_of(said.topic))}
    for noun, group in rooms.items():
        yield f"## {noun}"
        yield ""
        yield from _table(
            ("event", "emitted by", "payload"),
            [(f"`{said.topic}`", said.by, _codes(said.payload)) for said in group],
        )


def emitted() -> list[Said]:
    """What verbs declare, and what their code says beside that."""
    declared = [Said(v.emits, _verb_link(v, "verbs.md"), _payload(v)) for v in registry() if v.emits]
    return sorted([*declared, *_written()], key=lambda said: (_noun_of(said.topic), said))


def _noun_of(topic: str) -> str:
    noun = topic.partition(".")[0]
    return "any type" if noun.startswith("<") else noun


def _payload(verb: Verb) -> tuple[str, ...]:
    """The door puts every plain value of the result into the event, but for what is shown only once."""
    if verb.result is Row and (model := catalogue().nodes.get(verb.noun)):
        state = ["status"] if model.moves else []
        urgency = ["priority"] if "priority" in model.model_fields else []
        plain = [name for name in model.columns if _is_plain(model.model_fields[name].annotation)]
        return tuple(dict.fromkeys(["slug", "title", *state, *urgency, *plain, "id", "updated_at"]))
    fields = verb.result.model_fields.items()
    return tuple(name for name, info in fields if name not in verb.shown_once and _is_plain(info.annotation))


def _is_plain(annotation: Any) -> bool:
    """Whether its JSON is text, a number or a yes or no."""
    return typing.get_origin(annotation) not in (list, dict, tuple) and not any(
        typing.get_origin(part) in (list, dict, tuple) for part in typing.get_args(annotation)
    )


def _written() -> Iterator[Said]:
    """Every `tx.emit("topic", …)` and `{"topic": …}` whose topic can be read."""
    for file in sorted(SOURCE.rglob("*.py")):
        module = ".".join(("hq", *file.relative_to(SOURCE).with_suffix("").parts))
        for function, node in _within(ast.parse(file.read_text("utf-8"))):
            if said := _emit(node) or _literal(node):
                topic, payload = said
                yield Said(topic, f"`{module}.{function}`", payload)


def _within(tree: ast.AST, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ast.AST]]:
    """Every node with the dotted name of the function it stands in."""
    for node in ast.iter_child_nodes(tree):
        named = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        inner = (*path, node.name) if named else path  # type: ignore[attr-defined]
        yield ".".join(inner), node
        yield from _within(node, inner)


def _emit(node: ast.AST) -> tuple[str, tuple[str, ...]] | None:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "emit"):
        return None
    topic = _topic(node.args[0]) if node.args else None
    return (topic, tuple(word.arg for word in node.keywords if word.arg)) if topic else None


def _literal(node: ast.AST) -> tuple[str, tuple[str, ...]] | None:
    if not isinstance(node, ast.Dict):
        return None
    parts = {
        key.value: value for key, value in zip(node.keys, node.values, strict=True) if isinstance(key, ast.Constant)
    }
    topic, payload = _topic(parts.get("topic")), parts.get("payload")
    keys = payload.keys if isinstance(payload, ast.Dict) else []
    return (topic, tuple(str(key.value) for key in keys if isinstance(key, ast.Constant))) if topic else None


def _topic(node: ast.AST | None) -> str | None:
    """A plain string, or one with holes: `<type>.status_changed`."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=values):
            return "".join(str(v.value) if isinstance(v, ast.Constant) else f"<{_hole(v)}>" for v in values)
    return None


def _hole(node: ast.AST) -> str:
    return ast.unparse(node.value).rpartition(".")[2] if isinstance(node, ast.FormattedValue) else "?"


# ---- settings and errors


def settings_() -> Iterator[str]:
    yield from _head("Settings", SETTINGS_INTRO)
    loaded = settings.Settings.load({"HQ_HOME": "/nowhere"})
    rows = []
    for field, (name, says) in documented().items():
        value = getattr(loaded, field)
        shown = "" if field == "home" or value in (None, (), False) else f"`{value}`"
        rows.append((f"`{name}`", shown, says))
    yield from _table(("variable", "default", "meaning"), rows)
    yield "## Beside them"
    yield ""
    yield from _table(("variable", "meaning"), [(f"`{name}`", says) for name, says in BESIDE.items()])


def documented() -> dict[str, tuple[str, str]]:
    """For every field of Settings the variable and the meaning its docstring gives it."""
    tree = ast.parse(inspect.getsource(settings.Settings)).body[0]
    assert isinstance(tree, ast.ClassDef)
    found = {}
    for field, text in zip(tree.body, tree.body[1:], strict=False):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str() as says)):
                variable, _, meaning = says.partition(": ")
                found[name] = (variable, meaning)
    return found


def errors_() -> Iterator[str]:
    yield from _head("Errors", ERRORS_INTRO)
    drawing = (errors.__doc__ or "").strip().partition("\n\n")[2]
    yield "```text"
    yield from drawing.splitlines()
    yield "```"
    yield ""
    yield "## Codes"
    yield ""
    yield from _codes_table(errors.CODES.values())
    yield "## Only over HTTP"
    yield ""
    yield "The door never says these."
    yield ""
    yield from _codes_table(HTTP_CODES.values())
    yield "## Exit codes"
    yield ""
    by_exit: dict[int, list[str]] = {}
    for code in errors.CODES.values():
        by_exit.setdefault(code.exit, []).append(f"`{code.name}`")
    rows = [("0", "It worked."), *((str(number), ", ".join(by_exit[number])) for number in sorted(by_exit))]
    yield from _table(("exit code", "errors"), [*rows, ("130", "Interrupted with Ctrl-C.")])


def _codes_table(codes: Iterable[errors.Code]) -> Iterator[str]:
    return _table(
        ("code", "exit", "HTTP", "meaning"),
        [(f"`{code.name}`", str(code.exit), str(code.status), code.meaning) for code in codes],
    )


# ---- the parts


def _head(title: str, intro: str) -> Iterator[str]:
    yield NOTE
    yield ""
    yield f"# {title}"
    yield ""
    yield intro.strip()
    yield ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace(chr(10), ' ') for cell in row)} |"
    yield ""


def _paragraph(text: str) -> str:
    return " ".join(text.split())


def _codes(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _link(text: str, to: str) -> str:
    return f"[{text}]({to})"


def _verb_link(verb: Verb, page: str = "") -> str:
    return _link(f"`{verb.name}`" if page else verb.action, f"{page}#{anchor(verb.name)}")


def _type_link(type_: str, page: str = "types.md") -> str:
    return _link(f"`{type_}`", f"{page}#{anchor(type_)}")


def _edge_link(name: str, page: str = "edges.md") -> str:
    return _link(f"`{name}`", f"{page}#{anchor(name)}")


def _event_link(topic: str) -> str:
    return _link(f"`{topic}`", f"events.md#{anchor(_noun_of(topic))}")


def anchor(heading: str) -> str:
    """What GitHub makes of a heading."""
    kept = "".join(char for char in heading.lower() if char.isalnum() or char in " -_")
    return kept.replace(" ", "-")


def _risk_table() -> str:
    rows = [(f"`{gate}`", *(cells[t] for t in ("cautious", "balanced", "aggressive"))) for gate, cells in RISK.items()]
    return "\n".join(_table(("gate class", "cautious", "balanced", "aggressive"), rows)).strip()


VERBS_INTRO = f"""
Every change and every question is a verb: a noun and an action, declared once. The command line, HTTP and the
JSON Schemas of `hq schema` are made from that declaration.

Every answer has the same shape, on the command line with `--json` and over HTTP:

```json
{{"ok": true, "action": "create", "data": {{}}, "audit_event_id": "evt_…", "trace_id": "trc_…", "error": null, "sequence": "812"}}
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
makes up for it with another call, `none` has no way back.

Gate: how risky a call is. The founder and the founder's devices are never asked. For everyone else the company's risk
tolerance (`hq tenant set --risk-tolerance …`) decides: do it, do it and tell the founder, or ask and wait.

{_risk_table()}
"""

TYPES_INTRO = """
What a founder could name is a node: typed, validated, with history. A type's fields are its properties; beside them every
node has a slug that never changes, a title, tags, a producer, a confidence, a time from which it holds, and marks of
the outside content it came from. A room owns the types that its code works with.

Relations are edges that the type's verbs take as options. Any node may be linked to any other by
[`related_to`](edges.md#related_to). `hq schema show TYPE` prints the same as a JSON Schema.

Not every type has verbs of its own yet. Those without can be reached by `hq describe`, `hq link`, `hq history` and
`hq why` once something has made them.
"""

EDGES_INTRO = """
A link between two nodes, made with `hq link SOURCE EDGE TARGET` or by the options of a verb. Where a source has one at
most, a new link takes the place of the old one; where it has exactly one, a node cannot be made without it. `hq why` walks
the edges marked as evidence: their target is a reason for their source.
"""

EVENTS_INTRO = """
What a call says to the world: rows in `ops.outbox`, written in the call's own transaction, in the order of its number.
They are part of the ledger's chain. Once a call is settled the announcer tells of them, in order and each once: to
`hq events tail` and `GET /api/events`, and to webhooks. `hq events list` shows those of the past.

An event that a verb declares carries the plain values of its result, without what is shown only once and without what is
empty; the keys listed here are those it may have.
"""

SETTINGS_INTRO = """
Everything is set by the environment. There is no configuration file.
"""

ERRORS_INTRO = """
Errors form one tree, sorted by who must act: the caller, time, or us. An error has a code, a message that says what to do
and often a hint. Over HTTP it is a problem document (RFC 9457) whose `type` is `/errors/<code>`.
"""


def main(args: list[str]) -> int:
    made = pages()
    stale = [name for name, text in made.items() if _known(name) != text]
    if "--check" in args:
        for name in stale:
            print(f"docs/reference/{name} is stale; run `make docs`", file=sys.stderr)
        return int(bool(stale))
    PAGES.mkdir(parents=True, exist_ok=True)
    for name in stale:
        (PAGES / name).write_text(made[name], "utf-8")
        print(f"wrote docs/reference/{name}")
    return 0


def _known(name: str) -> str | None:
    file = PAGES / name
    return file.read_text("utf-8") if file.exists() else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
