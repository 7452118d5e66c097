"""The data of an answer as text: a table, a card, a story or one sentence, whichever fits it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from hq.cli import (
    brief_text,
    card_text,
    coding_text,
    connector_text,
    history_text,
    message_text,
    session_text,
    tool_output_text,
    workspace_text,
)
from hq.cli.approval_text import approval
from hq.cli.detail_text import card
from hq.cli.sentence import sentence
from hq.cli.table import table
from hq.cli.terminal import Screen
from hq.cli.verbs import CliVerb
from hq.org.document.yaml_writer import lines

TOLD = {
    "agent.ask": message_text.answered,
    "mission.brief": brief_text.brief,
    "agent.read": message_text.conversation,
    "approval.show": approval,
    "ask.list": card_text.inbox,
    "ask.show": card_text.ask,
    "card.show": card_text.card,
    "ceo.brief": card_text.brief,
    "ceo.tick": card_text.tick,
    "chat.history": history_text.conversation,
    "graph.history": history_text.history,
    "graph.why": history_text.why,
    "action.undo": history_text.undo,
    **dict.fromkeys(("code.execute", "code.allow", "code.deny", "code.resume"), coding_text.ran),
    "code.review": coding_text.reviewed,
    "code.steps": coding_text.steps,
    "connector.call": connector_text.called,
    "connector.refresh": connector_text.refreshed,
    "connector.test": connector_text.tested,
    **dict.fromkeys(("ssh.exec", "container.exec", "http.request", "web.fetch", "skill.run"), tool_output_text.output),
    **dict.fromkeys(("file.read", "artifact.read"), tool_output_text.content),
    "ssh.scan": tool_output_text.scanned,
    "ssh.keygen": tool_output_text.key_made,
    "session.show": session_text.session_detail,
    "session.replay": session_text.replayed,
    "session.diff": session_text.parted,
    "worker.wait": session_text.joined,
    "worker.read": session_text.contents,
    "sandbox.test": workspace_text.tested,
    "workspace.begin": workspace_text.begun,
    "workspace.diff": workspace_text.difference,
    "workspace.export": workspace_text.exported,
    "workspace.open": workspace_text.opened,
    "workspace.save": workspace_text.saved,
}
RAW = {"org.export": "document", "org.tree": "tree", "persona.skill": "text", "persona.experience": "text",
       "org_intent.read": "text"}  # fmt: skip
AS_YAML = ("org", "role", "position", "persona")
AS_JSON = {"schema.show": "schema", "schema.export": "schemas", "tools.export": "tools"}


def text(data: Mapping[str, Any], verb: CliVerb, screen: Screen) -> Iterator[str]:
    if verb.name in AS_JSON:
        yield json.dumps(data[AS_JSON[verb.name]], ensure_ascii=False, indent=2)
    elif verb.name in RAW:
        yield str(data[RAW[verb.name]]).removesuffix("\n")
    elif verb.noun in AS_YAML and (not verb.changes or data.get("preview")):
        yield from lines(data["items"] if isinstance(data.get("items"), list) else data)
    elif told := TOLD.get(verb.name) or (verb.action == "history" and history_text.history):
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
