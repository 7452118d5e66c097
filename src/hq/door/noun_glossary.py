"""Glossary of the nouns that are no node types: one line each, on every face that offers it."""

from __future__ import annotations

from collections.abc import Iterable

from hq.door.verb import Verb
from hq.graph.catalogue import Catalogue

NOUNS = {
    "action": "What was done: every call is one row, and most can be taken back.",
    "artifact": "What tools gave back, kept whole: list, read, search in it.",
    "auth": "Credentials: who may come in, with what rights, until when.",
    "container": "Commands in the sandbox, on a session's working tree.",
    "code": "Coding programs at work in a workspace, in the sandbox: build, review, answer, follow.",
    "chat": "The conversation with the CEO: talk, read what was said, see how it is.",
    "events": "What was announced, and what is being announced now.",
    "file": "Files of a session's working tree: read, write, edit, search.",
    "freeze": "The kill switch: stop writes, let them go on, see what is stopped.",
    "graph": "Any node, whatever its type: describe, link, explain, look back.",
    "http": "Requests to web servers, and the sites whose credentials may go with them.",
    "ledger": "Proof that nobody changed what was recorded.",
    "context": "What an agent is told when a session opens, section by section.",
    "incident": "What went wrong with an agent.",
    "message": "What the house does with messages on their way.",
    "memory": "What the company remembers: with its source, and how sure that is now.",
    "mind": "What answers when an agent thinks: which provider and model, or a script.",
    "org": "Organisations: found, write down, staff and change them; their roles, positions, personas and intent.",
    "org_intent": "What an organisation optimises for, protects and never sacrifices.",
    "schema": "Node types, edge types and verbs as JSON Schemas.",
    "session": "What agents are doing and did: one lifecycle each, step by step.",
    "sql": "Questions in SQL: read-only, over views of this company, as of any moment.",
    "ssh": "Commands on other machines, and the machines they are allowed on.",
    "subagent": "Named helpers that do one task each.",
    "tenant": "The company itself, and others in the same installation.",
    "tools": "The tools a model can be given: which there are, who may use them, how to ask for more.",
    "thread": "The founder's one conversation with an agent.",
    "vault": "Secrets: encrypted, set and rotated, never shown.",
    "web": "The web: search it, read a page of it.",
    "worker": "Disposable sessions that do one task each and leave artifacts: spawn, wait, read, search.",
}
UNDER = {"role": "org role", "position": "org position", "persona": "org persona", "org_intent": "org intent"}
"""Nouns whose commands are another's: `hq org role create` (seed 003 §1.3: one path, no second)."""


def meaning(noun: str, catalogue: Catalogue, verbs: Iterable[Verb]) -> str:
    model = catalogue.nodes.get(noun)
    says = (model.__doc__ if model else None) or NOUNS.get(noun)
    if not says:
        return ", ".join(verb.action for verb in verbs if verb.noun == noun)
    return says.strip().partition("\n\n")[0].replace("\n", " ")
