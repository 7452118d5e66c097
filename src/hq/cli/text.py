"""The data of an answer as text: a table, a card, a story or one sentence, whichever fits it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from hq.cli import asked, brief, coding, connected, mail, outputs, sessions, story, workplace
from hq.cli.approval import approval
from hq.cli.card import card
from hq.cli.screen import Screen
from hq.cli.sentence import sentence
from hq.cli.table import table
from hq.cli.verbs import Verb
from hq.org.document.writing import lines

TOLD = {
    "agent.ask": mail.answered,
    "mission.brief": brief.brief,
    "agent.read": mail.conversation,
    "approval.show": approval,
    "ask.list": asked.inbox,
    "ask.show": asked.ask,
    "card.show": asked.card,
    "ceo.brief": asked.brief,
    "ceo.tick": asked.tick,
    "chat.history": story.conversation,
    "graph.history": story.history,
    "graph.why": story.why,
    "action.undo": story.undo,
    **dict.fromkeys(("code.execute", "code.allow", "code.deny", "code.resume"), coding.ran),
    "code.review": coding.reviewed,
    "code.steps": coding.steps,
    "connector.call": connected.called,
    "connector.refresh": connected.refreshed,
    "connector.test": connected.tested,
    **dict.fromkeys(("ssh.exec", "container.exec", "http.request", "web.fetch", "skill.run"), outputs.output),
    **dict.fromkeys(("file.read", "artifact.read"), outputs.content),
    "ssh.scan": outputs.scanned,
    "ssh.keygen": outputs.key_made,
    "session.show": sessions.shown,
    "session.replay": sessions.replayed,
    "session.diff": sessions.parted,
    "worker.wait": sessions.joined,
    "worker.read": sessions.contents,
    "sandbox.test": workplace.tested,
    "workspace.begin": workplace.begun,
    "workspace.diff": workplace.difference,
    "workspace.export": workplace.exported,
    "workspace.open": workplace.opened,
    "workspace.save": workplace.saved,
}
RAW = {"org.export": "document", "org.tree": "tree", "persona.skill": "text", "persona.experience": "text",
       "org_intent.read": "text"}  # fmt: skip
AS_YAML = ("org", "role", "position", "persona")
AS_JSON = {"schema.show": "schema", "schema.export": "schemas", "tools.export": "tools"}


def text(data: Mapping[str, Any], verb: Verb, screen: Screen) -> Iterator[str]:
    if verb.name in AS_JSON:
        yield json.dumps(data[AS_JSON[verb.name]], ensure_ascii=False, indent=2)
    elif verb.name in RAW:
        yield str(data[RAW[verb.name]]).removesuffix("\n")
    elif verb.noun in AS_YAML and (not verb.changes or data.get("preview")):
        yield from lines(data["items"] if isinstance(data.get("items"), list) else data)
    elif told := TOLD.get(verb.name) or (verb.action == "history" and story.history):
        yield from told(data, screen)
    elif verb.name == "ledger.verify":
        yield from _verified(data, screen)
    elif verb.name == "sql.query":
        yield from table(data["items"], screen, [column["name"] for column in data["columns"]])
    elif isinstance(data.get("items"), list):
        yield from table(data["items"], screen) if data["items"] else ()
    elif verb.changes:
        yield sentence(verb, data, screen)
        yield from _followed(data, screen)
    else:
        yield from card(data, screen)


def _followed(data: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    """What became of the call that an approval or a proposal set going."""
    result = data.get("result")
    if not isinstance(result, dict):
        return
    if result.get("ok"):
        name = (result.get("data") or {}).get("slug", "")
        yield f"  then: {result['action']} {name}".rstrip()
    else:
        yield screen.red(f"  then: {result['action']} did not work: {result['error']['message']}")


def _verified(data: Mapping[str, Any], screen: Screen) -> Iterator[str]:
    waiting = f", {data['waiting']} not linked yet" if data.get("waiting") else ""
    if data["intact"]:
        yield screen.green(f"the ledger is intact: {data['links']} links{waiting}")
        return
    yield screen.red(f"the ledger is broken: {len(data['faults'])} faults in {data['links']} links{waiting}")
    yield from table(data["faults"], screen)
