"""A sentence for what a write did: `created task call-ana`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hq.cli.verbs import CliVerb
from hq.terminal.screen import Screen
from hq.terminal.values import one_line

Data = Mapping[str, Any]
FIELD = re.compile(r"\{([\w|]+)\}")
PART = re.compile(r"\[([^]]+)\]")
EMPTY = (None, "", [])
PAST = {
    "begin": "began",
    "broadcast": "broadcast",
    "drop": "dropped",
    "exec": "ran on",
    "handoff": "handed off",
    "keygen": "made a key of",
    "login": "made a link of",
    "read": "read",
    "run": "ran",
    "say": "said",
    "scan": "scanned",
    "stop": "stopped",
    "take": "took",
    "token": "made a token of",
    "withdraw": "withdrew",
    "defer": "deferred",
    "forget": "forgot",
    "send": "sent",
    "spend": "spent on",
    "sync": "recorded",
    "write": "wrote",
    "write_skill": "wrote the skill of",
    "append_experience": "added to the experience of",
    "set": "set",
    "log": "logged",
    "rollback": "rolled back",
    "stage": "moved",
    "undo": "took back",
    "handover": "handed over",
    "submit": "handed in",
    "sign_off": "signed off",
    "plan": "planned",
    "settle_plan": "settled the plan of",
    "pass_on": "passed on",
    "off": "switched off",
    "on": "switched on",
}


def sentence(verb: CliVerb, data: Data, screen: Screen) -> str:
    if data.get("already") and data.get("state") == "withdrawn":
        why = f": {one_line(data['why'], screen)}" if data.get("why") else ""
        return f"{data['slug']} was withdrawn by {data['ended_by']}{why}; your answer did not count"
    if data.get("already") and "answered_by" in data:
        answer = f": {one_line(data['answer'], screen)}" if data.get("answer") else ""
        late = "" if data.get("counted", True) else "; your answer did not count"
        return f"{data['slug']} was answered already by {data['answered_by']}{answer}{late}"
    if data.get("already") and "pressed" in data:
        late = "" if data.get("counted", True) else "; your button did not count"
        return f"the card was answered already by {data.get('pressed_by', 'somebody')}: {data['pressed']}{late}"
    return filled(verb.text, data, screen) if "{" in verb.text else _plain(verb, data, screen)


def _plain(verb: CliVerb, data: Data, screen: Screen) -> str:
    if "message" in data:
        return one_line(data["message"], screen)
    name = next((data[key] for key in ("slug", "name", "path", "id", "agent") if data.get(key)), "")
    return f"{past(verb.action)} {verb.noun.replace('_', ' ')} {name}".rstrip()


def filled(said: str, data: Data, screen: Screen) -> str:
    """A sentence that a verb declares, with its fields; what stands in brackets is left out where its field is empty."""

    def field(found: re.Match[str]) -> str:
        value = next((data[name] for name in found[1].split("|") if data.get(name) not in EMPTY), None)
        return one_line(value, screen)

    def part(found: re.Match[str]) -> str:
        return found[1] if all(data.get(name) not in EMPTY for name in FIELD.findall(found[1])) else ""

    return FIELD.sub(field, PART.sub(part, said))


def past(action: str) -> str:
    """`create` becomes `created`; the odd ones are listed."""
    if action in PAST:
        return PAST[action]
    if action.endswith("y") and action[-2] not in "aeiou":
        return action[:-1] + "ied"
    return action + ("d" if action.endswith("e") else "ed")
