"""Access: whom a verb is for, and whose things it may touch. Declared on the verb; `access_rule` asks it of every caller alike.

Three facts decide: who calls (`Caller`, as the call opened, with what the agents' files keep for one of them), whose it is
what the verb touches (`Owner`, found by what a room hands in for the noun), and the declaration. The error says whom to ask
instead.

Looking is the same rule: a read finds what is the whole company's, and of the rest (types that say `seen_by`, the ledger, events)
what is one's own and what is theirs whom one leads. Beyond that a list leaves out and a name finds nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

from hq.errors import Refused

if TYPE_CHECKING:
    from hq.door.caller import Caller
    from hq.door.tx import Tx
    from hq.door.verb import Args, Verb

Who = Literal["founder", "ceo", "operator", "agent", "worker", "project", "session", "service", "house"]
"""`agent` is any of them, the CEO and the operator too; `project` is the worker that stands for a project: it looks like any
worker, and changes only what is said to be for it; `session` is an agent's or a worker's running session, which makes some
calls by itself, without its mind. Devices are the founder's. The house is `service:hq`, and no service."""
Whose = Literal["own", "mission", "led", "org", "tenant"]
"""How near a thing is to who calls. Who reaches one of these reaches those before it."""
NEAREST_FIRST: tuple[Whose, ...] = ("own", "mission", "led", "org", "tenant")
ONES_OWN: tuple[Whose, ...] = ("own", "led")
"""What an agent is given by being who it is, and by sitting above somebody."""

FOUNDER: tuple[Who, ...] = ("founder",)
HOUSE: tuple[Who, ...] = ("founder", "house")
SESSION: tuple[Who, ...] = (*HOUSE, "session")
LEADERS: tuple[Who, ...] = (*HOUSE, "ceo")
AGENTS: tuple[Who, ...] = (*HOUSE, "agent")
STAFF: tuple[Who, ...] = (*AGENTS, "worker")
EVERYONE: tuple[Who, ...] = (*STAFF, "service")
PEOPLE_AND_STAFF: tuple[Who, ...] = ("founder", "agent", "worker")
"""Who has a word of their own to give, which the house has not."""
OVERSEERS: tuple[Who, ...] = (*LEADERS, "operator")
"""Who sees everybody's things."""
CREW: tuple[Who, ...] = (*STAFF, "project")
ANYONE: tuple[Who, ...] = (*EVERYONE, "project")
INSIDE: tuple[Who, ...] = ()
"""Nobody: it is a step of another verb's work, and only made as one."""


@dataclass(frozen=True)
class Touch:
    """What a verb touches, and how far who calls it reaches for that. The founder and the house reach everything."""

    arg: str
    """The argument that names it."""
    noun: str
    """Who finds out whose it is: the resolver of this name."""
    agent: Whose = "own"
    """How far an agent reaches, and its workers with it, and services."""
    ceo: Whose = "tenant"
    operator: Whose = "tenant"
    house: Whose = "tenant"
    project: Whose | None = None
    """How far the agent of a project reaches; left out, as far as any agent."""
    service: Whose | None = None
    """How far a service reaches that only looks; left out, as far as any agent."""
    in_person: bool = False
    """One acts in person: what an agent's workers do for it is not its own doing."""
    beyond: Literal["refuse", "ask"] = "refuse"
    """What becomes of a call that reaches too far: no, or the founder is asked."""
    optional: bool = False
    """Where the argument is left out, nothing is touched but one's own. Unless this is said the resolver is asked all the
    same, without a name: the verb means one, and is judged by that."""
    within: str | None = None
    """Another argument, without which the first does not say which one is meant."""
    not_own: bool = False
    """Not even one's own: what one is for another, one is not for oneself."""
    bars: bool = False
    """Some are barred from it whatever they are, the CEO too."""
    granted: bool = False
    """A grant of the founder's for the verb reaches further, of what is only looked at too."""
    when: Callable[[Any], bool] | None = None
    """Only where the arguments say so; else it is nobody's in particular."""

    @property
    def gives(self) -> bool:
        """Whether it keeps agents to what is their own and theirs whom they lead, or has them ask, whatever the call says: for that
        no agent needs more to be given. What is kept from the house too is nobody's own, and the files of a mission are worked
        on with tools."""
        return not self.optional and self.when is None and self.agent in ONES_OWN and self.house == "tenant"


AT_REST = ("paused", "dormant", "suspended", "disabled", "quarantined")
"""States into which somebody puts a thing for it to rest. Only who is of at least their rank changes that again."""
LED = Touch("agent", "agent", agent="led")
"""For what is looked at: what is one's own and what is theirs whom one leads; the CEO and the operator see everybody's."""


PERSON = Touch("ref", "person", ceo="own", operator="own", house="own")
"""For what may stand for somebody who comes in as a person: who that is, only people say."""


def within_organisation(arg: str) -> Touch:
    """Whom work is given to, or where: within one's organisation. The CEO and the operator serve them all; where nobody is
    named it stays with whose it is, goes to the CEO, or to whom is found at home."""
    return Touch(arg, "neighbour", agent="org", optional=True)


def on_record(arg: str) -> Touch:
    """What costs money begins by who works here, and by programs whose token names it."""
    return Touch(arg, "start", agent="org")


def at_home(arg: str = "ref", **more: Any) -> Touch:
    """What belongs to an organisation is neither read nor changed from another, unless the founder granted it. The CEO and the
    operator serve them all, and a service looks at all that its token lets it; what is of none is everybody's."""
    return Touch(arg, "abroad", agent="org", service="tenant", granted=True, **more)


@dataclass(frozen=True)
class Owner:
    """Whose something is."""

    name: str
    """As a person would say it: an agent's slug, `the mission launch`."""
    agents: frozenset[str] = frozenset()
    """The agents whose own it is."""
    actors: frozenset[str] = frozenset()
    """Whose own it is, as they speak: `service:intake`, `worker:kent`."""
    mission: bool = False
    """Who calls takes part in the mission that it belongs to, or was sent to it."""
    organisation: UUID | None = None
    barred: frozenset[str] = frozenset()
    """Agents who never may, whatever else they are: who does the work does not sign it off."""
    shared: bool = False
    """Nobody's in particular: whoever the verb is for may. Not so the agent of a project, whose own is its project's."""
    why: str = ""
    """What is said to who may not, where whose it is does not say it."""
    ask: str | None = None
    """Whom to ask, where that is not the operator."""
    absent: Refused | None = None
    """What is said to who may not reach it, where to them it is not there: the same as of what there is not."""
    closed: bool = False
    """To who calls it is closed: nobody is asked for them, they speak to whose it is."""


Resolver = Callable[..., Awaitable[Owner | None]]
"""From the transaction, what the argument names (nothing, where it is left out) and, where declared, what it is within."""


def who_is(caller: Caller, *, in_session: bool) -> frozenset[Who]:
    """All that a caller is, in the words of the declarations."""
    found: set[Who] = set()
    match caller.kind:
        case "founder" | "device":
            found.add("founder")
        case "agent" | "worker" as kind:
            found.add(kind)
            if kind == "agent" and caller.role:
                found.add(caller.role)
            if caller.project:
                found.add("project")
            if in_session:
                found.add("session")
        case "service" | "house" as kind:
            found.add(kind)
    return frozenset(found)


def is_for(caller: Caller, verb: Verb, *, in_session: bool) -> bool:
    """Whether a verb is for this caller. The agent of a project changes only what is said to be for such."""
    held = who_is(caller, in_session=in_session)
    if "project" in held and verb.changes and not verb.internal:
        held -= {"worker"}
    return not held.isdisjoint(verb.for_)


def goes_through(tx: Tx, verb: Verb, args: Args) -> bool:
    """Whether a freeze lets this call through: people stop and thaw, the house tidies up, a session comes to its end."""
    if verb.frozen_if is not None and not verb.frozen_if(args):
        return False
    return not who_is(tx.caller, in_session=tx.call.session_id is not None).isdisjoint(verb.while_frozen)


def reach(touch: Touch, caller: Caller, *, looks: bool = False) -> Whose:
    """How far this caller reaches. A worker reaches as far as any agent, however high the one that sent it."""
    if caller.human:
        return "tenant"
    if caller.house:
        return touch.house
    if caller.project and touch.project:
        return touch.project
    if looks and caller.kind == "service" and touch.service:
        return touch.service
    match caller.role if caller.kind == "agent" else None:
        case "ceo":
            return touch.ceo
        case "operator":
            return touch.operator
        case _:
            return touch.agent


def sees_all(caller: Caller) -> bool:
    """Whether who looks sees everybody's things, or of what is not the whole company's only their own and of whom they lead."""
    return reach(LED, caller) == "tenant"


def reaches(far: Whose, near: Whose) -> bool:
    return NEAREST_FIRST.index(near) <= NEAREST_FIRST.index(far)
