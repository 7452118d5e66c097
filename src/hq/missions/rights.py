"""Rights of an agent: what it may, where each comes from, and why what it may not is refused (seed 000 D, row J8).

All of it is read from the graph, so it is told as of any moment. What is asked of a verb here is what the door asks of a call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NotRequired, TypedDict
from uuid import UUID

from hq.agents.granted_verbs import sources
from hq.asks.types import Grant
from hq.business.tenant import company
from hq.door.access import Touch, Whose, is_for, reach
from hq.door.borders import Share, check_borders, covers
from hq.door.caller import Caller
from hq.door.gate import by_table
from hq.door.toolset import offered
from hq.door.tx import Tx
from hq.door.verb import Verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.view import NodeFilter
from hq.org.agent import Agent
from hq.org.authority import DIRECTOR
from hq.org.seats import leads_somebody, seat_of

May = Literal["yes", "asks", "no"]
NOBODY = UUID(int=0)
ASKS = "the verb itself: who it is not the own of asks for it"
SCOPES = ("read", "write", "effect")
"""Of an agent whose file says none."""


RightItem = TypedDict(
    "RightItem", {"sort": str, "what": str, "may": str, "from": NotRequired[str], "why": NotRequired[str]}
)
"""A right as it is told."""


@dataclass(frozen=True)
class Right:
    """One thing that an agent may, may when somebody says yes, or may not."""

    sort: Literal["verb", "skill", "collaborator", "scope", "border", "grant", "budget", "authority", "model"]
    what: str
    may: May
    source: str
    """Where it comes from."""
    why: str = ""
    """What has to be said of it: why not, who is asked, until when."""

    def told(self) -> RightItem:
        found: RightItem = {"sort": self.sort, "what": self.what, "may": self.may}
        if self.source:
            found["from"] = self.source
        if self.why:
            found["why"] = self.why
        return found


@dataclass
class VerbRights:
    """An agent, as the door knows it, and what it was given to call."""

    tx: Tx
    agent: Stored[Agent]
    caller: Caller
    grants: list[Stored[Grant]]
    sources: Mapping[str, str] = field(default_factory=dict)
    """Each verb it reaches, and by what."""
    leads: bool = False
    """Whether it sits above somebody."""

    def of(self, verb: Verb) -> Right:
        """As the door would judge a call, in its order: the rest of it depends on what the call names."""
        refused = self._refused(verb)
        source = self.sources.get(verb.name) or self._by_itself(verb) or "nothing gives it this"
        if refused:
            return Right("verb", verb.name, "no", source if verb.name in self.sources else refused[0], refused[1])
        if verb.name not in self.sources and not verb.changes:
            return Right("verb", verb.name, "yes", source, "with its token; no session is shown it")
        if verb.name not in self.sources and not self.caller.names(verb) and not self._by_itself(verb):
            if grant := next((each for each in self.grants if _allows(each, verb)), None):
                return Right("verb", verb.name, "yes", f"granted by {grant.props.granted_by} ({grant.slug})")
            return Right("verb", verb.name, "no", source, "it is not offered; `tools_request` asks for it")
        limit = _limits(verb.touches, self.caller)
        if source == ASKS:
            return Right("verb", verb.name, "asks", source, limit)
        if verb.changes and by_table(verb.gate, self.caller.risk_tolerance) == "ask":
            if grant := next((each for each in self.grants if _allows(each, verb)), None):
                return Right("verb", verb.name, "yes", source, f"granted by {grant.props.granted_by} ({grant.slug})")
            why = f"{verb.gate.replace('_', '-')} calls are asked about with a {self.caller.risk_tolerance} founder"
            return Right("verb", verb.name, "asks", source, "; ".join(filter(None, (why, limit))))
        return Right("verb", verb.name, "yes", source, limit)

    def _by_itself(self, verb: Verb) -> str | None:
        """What needs no giving: looking, answering, and what is one's own or, by sitting above somebody, theirs."""
        if not verb.changes:
            return "shared default: looking"
        if verb.answers:
            return "shared default: what it is asked"
        gives = [touch for touch in verb.touches if touch.gives and (self.leads or not touch.not_own)]
        if not gives:
            return None
        if all(touch.beyond == "ask" for touch in gives):
            return ASKS
        return "its seat: whom it leads" if self.leads else "shared default: what is its own"

    def _refused(self, verb: Verb) -> tuple[str, str] | None:
        """By what, and why, whatever the call names."""
        status = self.agent.status
        if status != "active":
            return f"its record: {status}", f"{self.agent.slug} is {status}; `hq agent resume` lets it work again"
        if not offered(verb):
            return "the verb itself", "no model is given it: it is a step of the house's, or carries a secret"
        if not self.caller.may(verb):
            return "its scopes", f"it does not hold the scope {verb.scope!r}"
        if not is_for(self.caller, verb, in_session=True):
            return "the verb itself", f"it is for {', '.join(verb.for_) or 'nobody'}"
        try:
            check_borders(self.caller, verb)
        except Refused as refused:
            return "the agents' files: Owns, Never", f"{refused.message}; ask {refused.details.get('ask', 'founder')}"
        return None


async def verb_rights(tx: Tx, agent: Stored[Agent], mission: str | None) -> VerbRights:
    props = agent.props
    others = await tx.find(NodeFilter(types=[Agent.type], limit=500))
    shares = tuple(
        Share(each.slug, tuple(each.props.owns), tuple(each.props.never))
        for each in others
        if not each.over and (each.props.owns or each.props.never)
    )
    role = props.kind if props.kind in ("ceo", "operator") else None
    seat = await seat_of(tx, agent)
    roles = await tx.links(await tx.get(seat), edge="has_role") if seat else []
    directs = any(link.outward and link.other_slug == DIRECTOR for link in roles)
    brief = f"brief of {mission}" if mission else "shared default: what briefs and messages name"
    given = dict(sources(tx.door.registry, props, brief, directs=directs))
    caller = Caller(
        NOBODY, tx.caller.tenant_id, NOBODY, "agent", f"agent:{agent.slug}", frozenset(props.scopes or SCOPES), None, None,
        (await company(tx)).risk_tolerance, False, role, None, shares, frozenset(given),
    )  # fmt: skip
    mine = NodeFilter(types=[Grant.type], status="active", props={"actor": caller.actor}, limit=500)
    grants = [each for each in await tx.find(mine) if _holds(each, tx)]
    return VerbRights(tx, agent, caller, grants, given, bool(seat and await leads_somebody(tx, seat)))


def _limits(touches: Iterable[Touch], caller: Caller) -> str:
    """Of whose things, where not everybody's."""
    said = {
        "own": "only its own",
        "mission": "only of missions it takes part in",
        "led": "its own, and theirs whom it leads",
        "org": "within its organisation",
    }
    found = [
        f"{touch.arg.replace('_', ' ')}: {_not_own(far) if touch.not_own else said[far]}"
        for touch in touches
        if (far := reach(touch, caller)) != "tenant" or touch.not_own
    ]
    return "; ".join(dict.fromkeys(found))


def _not_own(far: Whose) -> str:
    return "theirs whom it leads, not its own" if far == "led" else "not its own"


def _allows(grant: Stored[Grant], verb: Verb) -> bool:
    return covers(grant.props.verb, verb.name, verb.kind)


def _holds(grant: Stored[Grant], tx: Tx) -> bool:
    until = grant.props.expires_at
    return (until is None or until > tx.true_at) and grant.props.uses_left != 0


def grouped(rights: Iterable[Right]) -> list[Right]:
    """Many verbs in few lines: those of a noun that are so for the same reason together."""
    lines: dict[tuple[str, str, str, str], list[str]] = {}
    for right in rights:
        noun, _, action = right.what.partition(".")
        lines.setdefault((noun, right.may, right.source, right.why), []).append(action)
    return [
        replace(Right("verb", noun, "yes", source, why), what=f"{noun}: {', '.join(sorted(actions))}", may=_may(may))
        for (noun, may, source, why), actions in sorted(lines.items())
    ]


def _may(word: str) -> May:
    return "yes" if word == "yes" else "asks" if word == "asks" else "no"
