"""A running example for every verb: its own where it declares one, else made of what it must be given.

All of them speak of one small company: Acme, Ana, a task to call her. The tests run each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hq.door.verb import Verb
from hq.graph.slugs import slugify
from hq.json_types import CallArgs

MADE_BY = ("create", "log", "propose", "add", "spend")
CALL = "evt_01980f3c5a7b7c31a1f2d3c4b5a69788"
ODD: Mapping[str, CallArgs] = {
    "agent.succeed": {"agent": "forge", "by": "anvil"},
    "org.decide": {"ref": "approve-position-update-1f2d3c4b", "note": "Good idea."},
    "org_intent.sync": {"org": "Development"},
    "action.show": {"id": CALL},
    "action.undo": {"id": CALL, "preview": True},
    "approval.approve": {"ref": "approve-entity-merge-1f2d3c4b", "note": "Go ahead."},
    "approval.history": {"ref": "approve-entity-merge-1f2d3c4b"},
    "approval.reject": {"ref": "approve-entity-merge-1f2d3c4b", "note": "Not this week."},
    "approval.show": {"ref": "approve-entity-merge-1f2d3c4b"},
    **{f"brief.{verb}": {"ref": "brief-flight-tracker"} for verb in ("history", "show")},
    **{f"delegation.{verb}": {"ref": "delegation-compare-chart-libraries"} for verb in ("history", "show")},
    **{f"deliverable.{verb}": {"ref": "flight-tracker-the-founder-likes-it"} for verb in ("history", "show")},
    **{f"escalation.{verb}": {"ref": "postgres-or-sqlite"} for verb in ("history", "show")},
    **{f"mission_memory.{verb}": {"ref": "small"} for verb in ("history", "show")},
    "auth.exchange": {"device": "laptop"},
    "auth.revoke": {"id": "device:phone"},
    "auth.widen": {"actor": "agent:chief", "scopes": ["write:task"]},
    "connector.add": {"kind": "mcp", "name": "docs", "command": "docs-server --stdio"},
    "connector.approve": {"name": "docs"},
    "connector.call": {"connector": "docs", "tool": "search", "args": {"query": "refund"}},
    "connector.history": {"ref": "docs"},
    "connector.refresh": {"name": "docs"},
    "connector.remove": {"name": "docs"},
    "connector.restore": {"ref": "docs"},
    "connector.show": {"name": "docs"},
    "connector.test": {"name": "docs"},
    "decision.supersede": {"ref": "postgres-for-everything", "by": "postgres-18-for-everything"},
    "engagement.stage": {"ref": "acme-website", "to": "proposal"},
    "entity.merge": {"loser": "acme-inc", "into": "acme"},
    "fact.get": {"subject": "Ana Pereira", "relation": "employer"},
    "fact.retract": {"subject": "Ana Pereira", "relation": "employer"},
    "freeze.lift": {},
    "freeze.set": {"scope": "project:website"},
    "grant.add": {"actor": "agent:chief", "verb": "entity.merge", "days": 30},
    "grant.history": {"ref": "grant-entity-merge-1f2d3c4b"},
    "grant.revoke": {"ref": "grant-entity-merge-1f2d3c4b"},
    "grant.show": {"ref": "grant-entity-merge-1f2d3c4b"},
    "graph.describe": {"ref": "acme"},
    "graph.history": {"ref": "acme"},
    "graph.link": {"source": "call-ana", "edge": "related_to", "target": "acme"},
    "graph.links": {"ref": "acme"},
    "graph.unlink": {"source": "call-ana", "edge": "related_to", "target": "acme"},
    "graph.why": {"ref": "call-ana"},
    "http.forget": {"ref": "forge"},
    "review.dismiss": {"ref": "merge-these-two", "reason": "Both are gone."},
    "review.resolve": {"ref": "merge-these-two", "choice": "yes"},
    "skill.disable": {"skill": "disk-health"},
    "skill.grant": {"skill": "disk-health", "agent": "operator"},
    "skill.revoke": {"skill": "disk-health", "agent": "operator"},
    "ssh.forget": {"ref": "cube"},
    "task.assign": {"ref": "call-ana", "to": "ana-pereira"},
    "tools.request": {"tool": "task", "why": "To close what I finished."},
    "vault.remove": {"name": "anthropic_api_key"},
    "vault.set": {"name": "anthropic_api_key"},
}


class Examples:
    """What to show for each verb, given all of them: `show` speaks of what `create` made."""

    def __init__(self, verbs: Iterable[Verb]) -> None:
        self._slugs = dict(_created_slugs(verbs))

    def of(self, verb: Verb) -> list[CallArgs]:
        if verb.examples:
            return [dict(example.args) for example in verb.examples]
        if verb.name in ODD:
            return [ODD[verb.name]]
        needed = [name for name, info in verb.args.model_fields.items() if info.is_required()]
        return [{name: self._some(verb, name) for name in needed} | self._change(verb)]

    def _some(self, verb: Verb, name: str) -> Any:
        return self._slugs.get(verb.noun, f"some-{verb.noun}") if name == "ref" else name

    def _change(self, verb: Verb) -> CallArgs:
        return {"tags": ["important"]} if verb.action == "update" else {}


def _created_slugs(verbs: Iterable[Verb]) -> Iterable[tuple[str, str]]:
    """The slug that the first thing of each noun gets from the example that makes it."""
    for verb in verbs:
        if verb.action in MADE_BY and verb.examples:
            given = verb.examples[0].args
            named = next((given[n] for n in _titles(verb) if n in given), None)
            if named is not None:  # what only opens something that is there names nothing new
                yield verb.noun, slugify(str(named))


def _titles(verb: Verb) -> tuple[str, ...]:
    from hq.app import catalogue

    model = catalogue().nodes.get(verb.noun)
    return (model.title_field, "name") if model else ("name", "content")
