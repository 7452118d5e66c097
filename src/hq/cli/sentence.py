"""A sentence for what a write did: `created task call-ana`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hq.cli.verbs import CliVerb
from hq.terminal.screen import Screen
from hq.terminal.values import moment, one_line

Data = Mapping[str, Any]
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
    return SAID.get(verb.name, _plain)(verb, data, screen)


def _plain(verb: CliVerb, data: Data, screen: Screen) -> str:
    if "message" in data:
        return one_line(data["message"], screen)
    name = next((data[key] for key in ("slug", "name", "path", "id", "agent") if data.get(key)), "")
    return f"{past(verb.action)} {verb.noun.replace('_', ' ')} {name}".rstrip()


def past(action: str) -> str:
    """`create` becomes `created`; the odd ones are listed."""
    if action in PAST:
        return PAST[action]
    if action.endswith("y") and action[-2] not in "aeiou":
        return action[:-1] + "ied"
    return action + ("d" if action.endswith("e") else "ed")


def _linked(verb: CliVerb, data: Data, _screen: Screen) -> str:
    return f"{past(verb.action)} {data['source']} {data['edge']} {data['target']}"


def _froze(_verb: CliVerb, data: Data, screen: Screen) -> str:
    until = f" until {moment(data['until'], screen)}" if data.get("until") else ""
    return f"froze {data['scope']}{until}"


def _secret(verb: CliVerb, data: Data, _screen: Screen) -> str:
    version = f" (version {data['version']})" if "version" in data else ""
    return f"{past(verb.action)} secret {data['name']}{version}"


def _fact(verb: CliVerb, data: Data, screen: Screen) -> str:
    value = f": {one_line(data['value'], screen)}" if data.get("value") is not None else ""
    since = f" since {moment(data['since'], screen)}" if data.get("since") else ""
    return f"{past(verb.action)} {one_line(data['subject'], screen)} {one_line(data['relation'], screen)}{value}{since}"


def _webhook(verb: CliVerb, data: Data, screen: Screen) -> str:
    done = f"{past(verb.action)} webhook {data['slug']}"
    return f"{done}; its secret, shown this once: {data['secret']}" if "secret" in data else done


def _seated(verb: CliVerb, data: Data, screen: Screen) -> str:
    return f"{past(verb.action)} {one_line(data['label'], screen)}{_unseated(data)}"


def _unseated(data: Data) -> str:
    """The agents that an end of an assignment leaves without a seat."""
    agents = data.get("agents") or []
    return f"; {', '.join(agents)} {'has' if len(agents) == 1 else 'have'} no seat now" if agents else ""


def _hired(_verb: CliVerb, data: Data, screen: Screen) -> str:
    return f"hired {data['slug']} as {one_line(data['title'], screen)} (persona {data['persona_slug']})"


def _posted(_verb: CliVerb, data: Data, _screen: Screen) -> str:
    if held := data.get("held"):
        return held
    if handoff := data.get("handoff"):
        return f"{data['agent']} hands off; `hq handoff show {handoff}` follows it"
    if session := data.get("session"):
        return f"sent to {data['agent']}; `hq session show {session}` follows it"
    how = "waits for its next turn" if data["state"] == "queued" else data["state"]
    return f"sent to {data['agent']}: {how}; `hq agent read {data['message']}` shows what became of it"


def _assigned(_verb: CliVerb, data: Data, screen: Screen) -> str:
    ahead = f"; it starts when {', '.join(data['waits_on'])} is done" if data.get("waits_on") else ""
    return f"assigned {data['slug']} to {data['agent']}, who {one_line(data['why'], screen)}{ahead}"


def _checked(_verb: CliVerb, data: Data, screen: Screen) -> str:
    return f"{data['slug']} is {data['status']}: {one_line(data['says'], screen)}"


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"


def _onboarded(_verb: CliVerb, data: Data, _screen: Screen) -> str:
    if data["done"]:
        return "the company is at work; `hq chat` talks to its CEO"
    return "next: " + next(each["question"] for each in data["steps"] if each["step"] == data["next"])


SAID: Mapping[str, Callable[[CliVerb, Data, Screen], str]] = {
    "onboard.answer": _onboarded,
    "agent.send": _posted,
    "agent.reply": _posted,
    "agent.handoff": _posted,
    "session.fork": lambda _verb, data, _screen: (
        f"forked at step {data['at']}; `hq session diff {data['of']} {data['session']}` compares the two"
    ),
    "agent.hire": _hired,
    "agent.succeed": lambda _verb, data, _screen: f"{data['slug']} succeeds {data['predecessor']}",
    "org.assign": _seated,
    "org.unassign": _seated,
    "persona.archive": lambda verb, data, screen: _plain(verb, data, screen) + _unseated(data),
    "ask.answer": lambda _verb, data, _screen: (
        f"answered {data['type']} {data['slug']}: {data.get('answer') or data['status']}"
    ),
    "org.decide": lambda _verb, data, _screen: f"decided {data['slug']}: {data['answer']}",
    "mission.assign": _assigned,
    "mission.submit": _checked,
    "mission.check": _checked,
    "mission.note": lambda _verb, data, _screen: f"noted {data['slug']}",
    "mission.import": lambda _verb, data, _screen: (
        f"imported into {data['slug']}: {_counted(data['created'], 'mission')} made, {data['updated']} changed"
    ),
    "graph.link": _linked,
    "graph.unlink": _linked,
    "freeze.set": _froze,
    "freeze.lift": lambda _verb, data, _screen: f"thawed {', '.join(data['thawed'])}",
    "worker.spawn": lambda _verb, data, _screen: f"spawned {data['worker']}",
    "vault.set": _secret,
    "vault.remove": _secret,
    "vault.rotate": lambda _verb, data, _screen: f"rotated {_counted(data['rotated'], 'secret')} to key {data['key']}",
    "auth.revoke": lambda _verb, data, _screen: f"revoked {_counted(len(data['revoked']), 'credential')}",
    "auth.widen": lambda _verb, data, _screen: f"gave {data['actor']} {', '.join(data['scopes'])}",
    "connector.approve": lambda _verb, data, _screen: f"accepted {', '.join(data['accepted'])} of {data['connector']}",
    "tools.request": lambda _verb, data, _screen: (
        f"asked the founder for {', '.join(data['scopes'])}: {data['proposal']}"
    ),
    "fact.assert": _fact,
    "fact.retract": _fact,
    "webhook.add": _webhook,
    "webhook.rotate": _webhook,
    "webhook.redeliver": lambda _verb, data, _screen: f"{_counted(data['again'], 'event')} will be delivered again",
    "engagement.stage": lambda _verb, data, _screen: f"moved engagement {data['slug']} to {data['status']}",
}
