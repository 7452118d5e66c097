"""Output of an answer: text for people and pipes, the whole contract with --json."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from hq.cli.flags import Flags
from hq.cli.request import CommandAnswer
from hq.cli.verbs import CliVerb
from hq.terminal.screen import Screen, aside


def show(answer: CommandAnswer, verb: CliVerb, flags: Flags) -> int:
    """Print it; the exit code."""
    if flags.json:
        print_json(answer.contract)
    elif not answer.ok:
        if flags.quiet and answer.data:
            print(answer.data.get("approval", ""))
        complain(answer.error)
    elif flags.quiet:
        for slug in _slugs(answer.data):
            print(slug)
    else:
        _tell(answer.data, verb)
    return answer.exit_code or int(
        _disproved(verb, answer.data) or _in_vain(verb, answer.data) or _too_late(answer.data)
    )


def print_json(value: Any) -> None:
    """Indented for a person, on one line for a program."""
    if sys.stdout.isatty():
        print(json.dumps(value, ensure_ascii=False, indent=2))
    else:
        print(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def complain(error: Mapping[str, Any]) -> None:
    from hq.terminal.values import harmless

    screen = Screen.of(sys.stderr)
    said = screen.prose(f"hq: {harmless(str(error.get('message', 'no reason given')))}")
    print("\n".join([screen.red("hq:") + said[0].removeprefix("hq:"), *said[1:]]), file=sys.stderr)
    if error.get("hint"):
        aside(f"hint: {harmless(str(error['hint']))}")


def _tell(data: Mapping[str, Any], verb: CliVerb) -> None:
    from hq.cli.text import text

    if "token" in verb.once:
        _token(data)
        return
    told = False
    for line in text(data, verb, Screen.of(sys.stdout)):
        told = True
        print(line)
    if isinstance(data, Mapping):
        if data.get("next") and "items" in data:
            aside(f"more: --after {data['next']}")
        if isinstance(data.get("items"), list) and not data["items"] and not told:
            aside("nothing found")
        if "note" in data and "items" in data:
            aside(data["note"])
        if data.get("lacks"):
            aside(f"{data['lacks']}; until then the script answers")


def _token(data: Mapping[str, Any]) -> None:
    """The token alone on standard output, so that it can be piped on; what it is good for beside it."""
    if "token" not in data:
        aside("it was issued before under this key, and a token is shown only once; revoke it and issue another")
        return
    from hq.terminal.detail import detail

    print(data["token"])
    for line in detail({name: value for name, value in data.items() if name != "token"}, Screen.of(sys.stderr)):
        aside(line)


def _disproved(verb: CliVerb, data: Any) -> bool:
    """A ledger or a document that does not hold is an answer, and a failure to the shell."""
    held = {"ledger.verify": "intact", "org.validate": "valid"}.get(verb.name)
    return held is not None and isinstance(data, Mapping) and data.get(held) is False


def _too_late(data: Any) -> bool:
    """Another answer came first and counts: what was asked for here did not happen."""
    return isinstance(data, Mapping) and data.get("already") is True and data.get("counted") is False


def _in_vain(verb: CliVerb, data: Any) -> bool:
    """The call went well, and what it had done did not: also a failure to the shell, whatever is printed."""
    if not verb.works or not isinstance(data, Mapping):
        return False
    if data.get("ok") is False or data.get("status") in ("failed", "timeout", "cancelled"):
        return True
    # Where nothing else says how it went, the program's own word counts.
    return not isinstance(data.get("status"), str) and bool(data.get("exit_code") or data.get("timed_out"))


def _slugs(data: Any) -> Iterator[str]:
    items = data.get("items") if isinstance(data, Mapping) else None
    for item in items if isinstance(items, list) else [data]:
        if isinstance(item, Mapping):
            name = next(
                (item[key] for key in ("slug", "token", "name", "worker", "session", "action", "id") if item.get(key)),
                None,
            )
            if name is not None:
                yield str(name)
