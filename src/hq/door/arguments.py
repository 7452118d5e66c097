"""Arguments of a call: parsed once, held to its limits, and as much of it as may be seen, kept or compared."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from itertools import chain, combinations
from typing import Any

from pydantic import ValidationError

from hq.door.text import check_text
from hq.door.tx import Call
from hq.door.verb import Args, Verb
from hq.errors import Refused
from hq.graph.rules import invalid
from hq.json_types import CallArgs, CallResult

KEPT_KEYS = ("approval:", "proposal:", "ask:")  # for calls that are made as part of another
MOST_ADDED = 2
"""Arguments that a verb may have got since calls of it were kept by all they had."""


def parse(verb: Verb, values: CallArgs) -> Args:
    try:
        args = verb.args.model_validate(values)
    except ValidationError as error:
        raise invalid(error, verb.name) from error
    check_text(values)
    return args


def check_call(call: Call) -> None:
    """What goes with a call has its limits too, whichever face it came in by."""
    if call.key and call.key.startswith(KEPT_KEYS) and not call.inside:
        raise Refused.invalid(f"keys that begin with {' or '.join(KEPT_KEYS)} are kept for hq itself")
    for name, text, limit in (("reason", call.reason, 2000), ("actor", call.actor, 200), ("key", call.key, 200)):
        if text and len(text) > limit:
            raise Refused.invalid(f"{name}: at most {limit} characters")
        check_text(text, name)


def public_args(verb: Verb, args: Args) -> CallArgs:
    """The arguments as they may be seen: without secrets, without what was left at its default."""
    return args.model_dump(mode="json", exclude=set(verb.secret), exclude_defaults=True, by_alias=True)


def recorded_args(verb: Verb, args: Args) -> CallArgs:
    """The arguments as the ledger keeps them: what is kept whole elsewhere, by its hash."""
    shown = public_args(verb, args)
    for name in verb.by_hash & shown.keys():
        text = shown[name] if isinstance(shown[name], str) else json.dumps(shown[name], sort_keys=True)
        shown[name] = {"sha256": hashlib.sha256(text.encode()).hexdigest(), "size": len(text.encode())}
    return shown


def keepable(verb: Verb, data: CallResult) -> CallResult:
    """The result without what only the caller may see."""
    return {key: value for key, value in data.items() if key not in verb.shown_once}


def args_hash(verb: Verb, args: Args) -> bytes:
    """What was left at its default does not count, so a verb may get more arguments while calls of it wait. Secrets count
    although they are not kept; then it is a hash that cannot be guessed through."""
    return _digest(verb, args.model_dump(mode="json", exclude_defaults=True))


def same_call(call: Call, verb: Verb, args: Args, kept: str) -> bool:
    """Whether a hash that was kept, in hexadecimal, is of a call's arguments, or of them as they were said: what nothing was called
    then may be the name of something now."""
    said = _hashes(verb, parse(verb, call.args)) if call.verb == verb.name else ()  # a yes is a call of another verb
    return any(kept == each.hex() for each in chain(_hashes(verb, args), said))


def _hashes(verb: Verb, args: Args) -> Iterator[bytes]:
    """Once they were made of all arguments, and the verb may have got a few more since."""
    yield args_hash(verb, args)
    whole = args.model_dump(mode="json")
    yield _digest(verb, whole)
    if not verb.secret:
        said = args.model_dump(mode="json", exclude_defaults=True)
        for count in range(1, MOST_ADDED + 1):
            for added in combinations(whole.keys() - said.keys(), count):
                yield _digest(verb, {key: value for key, value in whole.items() if key not in added})


def _digest(verb: Verb, values: CallArgs) -> bytes:
    text = json.dumps(values, sort_keys=True).encode()
    if verb.secret:
        return hashlib.scrypt(text, salt=verb.name.encode(), n=2**14, r=8, p=1, dklen=32)
    return hashlib.sha256(text).digest()


def gist(data: Any) -> Any:
    """What the ledger keeps of a read: what it was about and how much, not a copy."""
    if isinstance(data, dict) and isinstance(data.get("items"), list):
        return {"count": len(data["items"])}
    return {"slug": data["slug"]} if isinstance(data, dict) and "slug" in data else None
