"""Access: whom a verb is for, and whose things it may touch. Declared on the verb, asked once, of every caller alike.

Three facts decide: who calls (`Caller`, as the call opened), whose it is what the verb touches (`Owner`, found by what a
room hands in for the noun), and the declaration. The error says whom to ask instead.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

from hq.errors import Refused

if TYPE_CHECKING:
    from hq.door.caller import Caller
    from hq.door.tx import Tx
    from hq.door.verb import Verb

Who = Literal["founder", "ceo", "operator", "agent", "worker", "session", "service", "house"]
"""`agent` is any of them, the CEO and the operator too; `session` is an agent's or a worker's running session, which makes
some calls by itself, without its mind. Devices are the founder's. The house is `service:hq`, and no service."""
Whose = Literal["own", "mission", "led", "org", "tenant"]
"""How near a thing is to who calls. Who reaches one of these reaches those before it."""
NEAREST_FIRST: tuple[Whose, ...] = ("own", "mission", "led", "org", "tenant")

FOUNDER: tuple[Who, ...] = ("founder",)
HOUSE: tuple[Who, ...] = ("founder", "house")
SESSION: tuple[Who, ...] = (*HOUSE, "session")
LEADERS: tuple[Who, ...] = (*HOUSE, "ceo")
AGENTS: tuple[Who, ...] = (*HOUSE, "agent")
STAFF: tuple[Who, ...] = (*AGENTS, "worker")
EVERYONE: tuple[Who, ...] = (*STAFF, "service")
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
    """How far an agent reaches, and its workers with it."""
    ceo: Whose = "tenant"
    operator: Whose = "tenant"
    not_own: bool = False
    """Not even one's own: what one is for another, one is not for oneself."""
    bars: bool = False
    """Some are barred from it whatever they are, the CEO too."""
    when: Callable[[Any], bool] | None = None
    """Only where the arguments say so; else it is nobody's in particular."""


@dataclass(frozen=True)
class Owner:
    """Whose something is."""

    name: str
    """As a person would say it: an agent's slug, `the mission launch`."""
    agents: frozenset[str] = frozenset()
    """The agents whose own it is."""
    mission: bool = False
    """Who calls takes part in the mission that it belongs to, or was sent to it."""
    organisation: UUID | None = None
    barred: frozenset[str] = frozenset()
    """Agents who never may, whatever else they are: who does the work does not sign it off."""
    shared: bool = False
    """Nobody's in particular: whoever the verb is for may."""


Resolver = Callable[["Tx", str], Awaitable[Owner | None]]


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
            if in_session:
                found.add("session")
        case "service" | "house" as kind:
            found.add(kind)
    return frozenset(found)


def reach(touch: Touch, caller: Caller) -> Whose:
    """How far this caller reaches. A worker reaches as far as any agent, however high the one that sent it."""
    match caller.role if caller.kind == "agent" else None:
        case "ceo":
            return touch.ceo
        case "operator":
            return touch.operator
        case _:
            return touch.agent


def reaches(far: Whose, near: Whose) -> bool:
    return NEAREST_FIRST.index(near) <= NEAREST_FIRST.index(far)


class Access:
    """The rule, as the door asks it: after the freeze, before the risk, of reads too."""

    def __init__(
        self,
        owners: Mapping[str, Resolver],
        leads: Callable[[Tx, frozenset[str]], Awaitable[bool]],
        belongs: Callable[[Tx, UUID], Awaitable[bool]],
    ) -> None:
        self._owners = owners
        self._leads = leads
        self._belongs = belongs

    async def judge(self, tx: Tx, verb: Verb, args: Any) -> str | None:
        if tx.call.inside and tx.call.approval_id is None:
            return None  # a step of another call was judged with that one
        check_for(tx.caller, verb, in_session=tx.call.session_id is not None)
        if not tx.caller.human and not tx.caller.house:
            for touch in verb.touches:
                await self._check_touch(tx, verb, touch, args)
        return None

    async def _check_touch(self, tx: Tx, verb: Verb, touch: Touch, args: Any) -> None:
        named = getattr(args, touch.arg, None)
        if named is None or (touch.when and not touch.when(args)):
            return
        far = reach(touch, tx.caller)
        if far == "tenant" and not touch.not_own and not touch.bars:
            return
        target, marks = tx.target, frozenset(tx.taint)
        owner = await self._owners[touch.noun](tx, named)
        tx.target = target  # asking whose it is, is not yet acting on it
        tx.taint &= marks
        if owner is None or owner.shared:
            return  # where there is no such thing, the verb says so better
        me = tx.caller.agent
        if me in owner.barred or (touch.not_own and me in owner.agents):
            raise Refused.forbidden(f"{verb.name}: {me} does not decide that about its own; who leads it does")
        if not reaches(far, await self._nearness(tx, owner, far)):
            raise beyond(tx.caller, verb, owner)

    async def _nearness(self, tx: Tx, owner: Owner, far: Whose) -> Whose:
        if tx.caller.agent in owner.agents:
            return "own"
        if owner.mission:
            return "mission"
        if reaches(far, "led") and owner.agents and await self._leads(tx, owner.agents):
            return "led"
        if reaches(far, "org") and owner.organisation and await self._belongs(tx, owner.organisation):
            return "org"
        return "tenant"


def check_for(caller: Caller, verb: Verb, *, in_session: bool) -> None:
    """Whether the verb is for this caller at all."""
    if who_is(caller, in_session=in_session) & set(verb.for_):
        return
    if not verb.for_:
        raise Refused.forbidden(f"{verb.name} is a step of other verbs, and not made by itself")
    if verb.for_ in (HOUSE, SESSION):
        raise Refused.forbidden(
            f"{verb.name} is done by the house itself", hint="`hq agent send` reaches an agent", ask="founder"
        )
    ask = "the CEO" if "ceo" in verb.for_ else "the operator" if "operator" in verb.for_ else "the founder"
    raise Refused.forbidden(
        f"{verb.name} is not for {caller.actor}; ask {ask} to", ask=ask.removeprefix("the ").lower()
    )


def beyond(caller: Caller, verb: Verb, owner: Owner) -> Refused:
    ask = "operator" if "operator" in verb.for_ or "agent" in verb.for_ else "founder"
    return Refused(
        f"{verb.name}: that is {owner.name}'s, and not {caller.actor}'s to reach",
        code="cross_scope_violation",
        hint=f'`hq agent send {ask} "…"`: say what should happen, and why' if ask != "founder" else "",
        ask=ask,
    )
