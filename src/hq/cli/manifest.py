"""Writes `verbs.json`: all that the command line knows of the verbs, so that it can start without loading them.

`python -m hq.cli.manifest` writes it anew; with `--check` it only says whether it is stale.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NotRequired, TypedDict, cast

from hq.app import registry
from hq.cli.examples import Examples
from hq.door.toolset import shown_fields
from hq.door.verb import Verb
from hq.graph.catalogue import flat_schema
from hq.json_types import CallArgs, JsonSchema

FILE = Path(__file__).with_name("verbs.json")
MANY = 12
"""Options of a verb from which on its help begins with those of every day."""
LONG = (
    "body",
    "content",
    "description",
    "transcript",
    "question_text",
    "acceptance_criteria",
    "style_notes",
    "document",
)


class ArgumentEntry(TypedDict):
    """An argument of a verb; what is empty is left out."""

    name: str
    type: str
    items: NotRequired[str]
    choices: NotRequired[list[str]]
    default: NotRequired[Any]
    required: NotRequired[bool]
    positional: NotRequired[bool]
    secret: NotRequired[bool]
    nullable: NotRequired[bool]
    rare: NotRequired[bool]
    long: NotRequired[bool]
    says: NotRequired[str]


class VerbEntry(TypedDict):
    """A verb, as far as the command line goes by it; what is empty is left out."""

    says: str
    scope: str
    changes: NotRequired[bool]
    works: NotRequired[bool]
    text: NotRequired[str]
    alias: NotRequired[str]
    internal: NotRequired[bool]
    once: NotRequired[list[str]]
    args: NotRequired[list[ArgumentEntry]]
    examples: NotRequired[list[CallArgs]]


class CliManifest(TypedDict):
    """What `verbs.json` holds."""

    nouns: dict[str, str]
    under: dict[str, str]
    aliases: dict[str, str]
    verbs: dict[str, VerbEntry]


def manifest() -> CliManifest:
    verbs = sorted(registry(), key=lambda verb: verb.name)
    examples = Examples(verbs)
    return {
        "nouns": {noun: registry().nouns[noun] for noun in sorted({verb.noun for verb in verbs})},
        "under": dict(registry().under),
        "aliases": {verb.alias: verb.name for verb in sorted(verbs, key=lambda v: v.alias or "") if verb.alias},
        "verbs": {verb.name: _verb(verb, examples) for verb in verbs},
    }


def written() -> str:
    """One line per noun, alias and verb, so that a change shows as what it is."""
    parts = [
        json.dumps(name)
        + ": {\n"
        + ",\n".join(f"{json.dumps(key)}:{_compact(value)}" for key, value in part.items())
        + "\n}"
        for name, part in cast("Mapping[str, Mapping[str, object]]", manifest()).items()
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _verb(verb: Verb, examples: Examples) -> VerbEntry:
    schema = flat_schema(verb.args)
    required = set(schema.get("required", ()))
    secret = {_alias(verb, name) for name in verb.secret}
    properties = sorted(schema.get("properties", {}).items(), key=lambda item: _rank(verb, *item, required=required))
    rare = _rare(verb, {name for name, part in properties if not part.get("positional")})
    return _without_empty(
        says=verb.summary,
        scope=verb.scope,
        changes=verb.changes,
        works=verb.kind in ("effect", "wait"),
        text=verb.text,
        alias=verb.alias,
        internal=verb.internal,
        once=sorted(verb.shown_once),
        args=[
            _argument(name, part, required=name in required, secret=name in secret, rare=name in rare)
            for name, part in properties
        ],
        examples=[{_alias(verb, name): value for name, value in each.items()} for each in examples.of(verb)],
    )


def _rare(verb: Verb, options: set[str]) -> set[str]:
    """Of many options those that neither a model is shown nor an example names."""
    if len(options) < MANY:
        return set()
    return options - shown_fields(verb).keys() - {_alias(verb, name) for each in verb.examples for name in each.args}


def _rank(verb: Verb, name: str, part: JsonSchema, *, required: set[str]) -> int:
    """The order of the help: what comes by its place, what must be said, what is the verb's own, what many share."""
    if part.get("positional"):
        return 0
    shared = {_alias(verb, field) for base in verb.args.__bases__ for field in getattr(base, "model_fields", {})}
    return 1 if name in required else 3 if name in shared else 2


def _argument(name: str, part: JsonSchema, *, required: bool, secret: bool, rare: bool) -> ArgumentEntry:
    kinds = [kind for kind in part.get("anyOf", [part]) if kind.get("type") != "null"]
    kind = kinds[0]
    items = kind.get("items", {})
    type_ = _type(kind)
    return _without_empty(
        name=name,
        type=type_,
        items=_type(items) if items and _type(items) != "string" else None,
        choices=kind.get("enum") or items.get("enum"),
        default=part.get("default"),
        required=required,
        positional=part.get("positional", False),
        secret=secret,
        nullable=type_ == "boolean" and len(kinds) < len(part.get("anyOf", ())),
        rare=rare,
        long=type_ == "string" and "enum" not in kind and (name.endswith("_md") or name in LONG),
        says=_first_line(part.get("description") or ""),
    )


def _type(kind: JsonSchema) -> str:
    return "datetime" if kind.get("format") == "date-time" else kind.get("type", "object")


def _alias(verb: Verb, name: str) -> str:
    field = verb.args.model_fields.get(name)
    return field.alias or name if field else name


def _without_empty(**parts: Any) -> Any:
    """Without what is empty; a default that is false or nought is what leaving it out means anyway."""
    return {name: value for name, value in parts.items() if value not in (None, "", [], False)}


def _first_line(text: str) -> str:
    return text.strip().partition("\n\n")[0].replace("\n", " ")


def main(args: list[str]) -> int:
    fresh = written()
    known = FILE.read_text() if FILE.exists() else ""
    if "--check" in args:
        if fresh != known:
            print("src/hq/cli/verbs.json is stale; `python -m hq.cli.manifest` writes it anew", file=sys.stderr)
        return int(fresh != known)
    FILE.write_text(fresh)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
