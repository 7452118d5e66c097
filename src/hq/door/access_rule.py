"""The rule of access, asked of every call: is the verb for who calls, is what it touches within their reach, and was it given to them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

from hq.door.access import (
    HOUSE,
    ONES_OWN,
    SESSION,
    Owner,
    Resolver,
    Touch,
    Who,
    Whose,
    is_for,
    reach,
    reaches,
    sees_all,
    who_is,
)
from hq.door.actor import named, principal_of, who_lifts
from hq.door.borders import check_borders, not_given
from hq.door.caller import shares
from hq.door.text import short_texts
from hq.door.toolset import may_use, offered
from hq.errors import Refused
from hq.graph.sight import Told

if TYPE_CHECKING:
    from hq.door.caller import Caller
    from hq.door.tx import Tx
    from hq.door.verb import Verb
    from hq.graph.records import Stored
    from hq.graph.sight import Sight
    from hq.graph.types import Node


class Access:
    """The rule, as the door asks it: after the freeze, before the risk, of reads too."""

    def __init__(
        self,
        owners: Mapping[str, Resolver],
        leads: Callable[[Tx, frozenset[str]], Awaitable[bool]],
        sight: Callable[[Tx], Awaitable[Sight]],
        belongs: Callable[[Tx, UUID], Awaitable[bool]],
        lent: Callable[[Tx], Awaitable[tuple[str, ...]]],
    ) -> None:
        self._owners = owners
        self._leads = leads
        self._sight = sight
        self._belongs = belongs
        self._lent = lent

    async def judge(self, tx: Tx, verb: Verb, args: Any) -> str | None:
        """Refuses who may not, in this order: whom the verb is for; what one does not see is not there; what is beyond one's reach,
        with whom to ask; what one was not given. What is beyond somebody, but may be asked for, is of the class `cross_scope`."""
        if tx.call.inside and tx.call.approval_id is None:
            return None  # a step of another call was judged with that one
        in_session = tx.call.session_id is not None
        check_for(tx.caller, verb, in_session=in_session)
        check_args_for(tx.caller, verb, args, in_session=in_session)
        if verb.answers and not sees_all(tx.caller):
            tx.told = Told(frozenset(), partial(self._sight, tx))
        if not self._is_wary(tx, verb):
            return "cross_scope" if await self._asked(tx, verb, args, set()) else None
        said, judged = frozenset(short_texts(args.model_dump(mode="json"))), set[str]()
        try:
            asked = await self._asked(tx, verb, args, judged)
        except Refused:
            if await self._hides(tx, said):  # then it ends as it does where there is no such thing
                tx.told = Told(said, partial(self._sight, tx), hides=True)
                return "cross_scope" if await self._asked(tx, verb, args, judged) else None
            raise
        tx.told = Told(said - judged, partial(self._sight, tx))
        return "cross_scope" if asked else None

    def _is_wary(self, tx: Tx, verb: Verb) -> bool:
        """Whether what is named may be what who calls does not see. Whom an ask is for, it says itself."""
        first = tx.told is None and tx.call.approval_id is None
        return first and verb.changes and not verb.answers and not sees_all(tx.caller)

    async def _hides(self, tx: Tx, said: frozenset[str]) -> bool:
        """Whether something is named that who calls does not see."""
        target, marks = tx.target, frozenset(tx.taint)
        private = [node for node in await tx.named(said) if node.type in tx.catalogue.private]
        tx.target, tx.taint = target, tx.taint & marks
        return any([not await self.sees(tx, node) for node in private])

    async def _asked(self, tx: Tx, verb: Verb, args: Any, judged: set[str]) -> bool:
        """Whether somebody has to be asked; refused where it is no. What was found to be within reach is `judged`."""
        if not sees_all(tx.caller) and verb.changes and verb.target and _may_be_private(tx, verb):
            await self._check_named(tx, verb, getattr(args, verb.target, None))
        if tx.call.approval_id is None:  # a person's yes is to that very call
            check_borders(tx.caller, verb)
        asked, given = False, tx.caller.is_given(verb)
        for touch in () if tx.caller.human else verb.touches:
            if touch.beyond == "ask" and not verb.changes:
                continue  # what would be asked about may be looked at
            for each in _each_named(args, touch):
                near = await self._reached(tx, verb, touch, args, each)
                if near == "beyond" and each and self._is_wary(tx, verb) and await self._hides(tx, frozenset((each,))):
                    continue  # nobody is asked about what is not there
                asked |= near == "beyond"
                judged |= {each} if each and near not in (None, "beyond") else set()
                given |= touch.gives and near in (*ONES_OWN, "beyond")
        asked |= draws_beyond(tx, verb, args)
        if not given and self._binds(tx, verb):
            await self._check_given(tx, verb, args)
        if not verb.changes and not sees_all(tx.caller):
            tx.look = partial(self._sight, tx)  # from here on: whose a thing is, was found out above whoever asks
        return asked

    async def offer(self, tx: Tx) -> frozenset[str]:
        """The verbs that who calls may call as tools: every list of tools is of these, so that none names what is refused."""
        caller, in_session = tx.caller, tx.call.session_id is not None
        if not caller.human and not caller.house:  # a call that only looks is opened without them
            caller = replace(caller, shares=await shares(tx))
        lent = () if in_session else await self._lent(tx)
        mine = may_use(tx.door.registry, caller, in_session=in_session, lent=lent)
        return mine if tx.call.only is None else mine & tx.call.only

    def _binds(self, tx: Tx, verb: Verb) -> bool:
        """A session is held to its own tools, what got a yes was judged before, and of what no model is given no file tells."""
        return tx.call.session_id is None and tx.call.approval_id is None and offered(verb)

    async def _check_given(self, tx: Tx, verb: Verb, args: Any) -> None:
        """Also given is what a seat brings with it, and what the founder granted."""
        if verb.noun in await self._lent(tx):
            return
        if tx.door.desk and (grant := await tx.door.desk.granted(tx, verb, args)):
            tx.granted = grant
            return
        raise not_given(tx.caller, verb)

    async def _check_named(self, tx: Tx, verb: Verb, ref: str | None) -> None:
        """What one does not see one does not change, nor hears of by trying to: it is as what there is not."""
        if not ref:
            return
        target, marks = tx.target, frozenset(tx.taint)
        node = await tx.look_up(ref)
        tx.target, tx.taint = target, tx.taint & marks
        kind = tx.catalogue.nodes.get(verb.noun)
        if node is not None:
            await self.check_seen(tx, node, ref, kind)
        elif kind is not None and not tx.caller.is_given(verb):  # else the verb itself says it, and better
            raise tx.absent(ref, kind)

    async def check_seen(self, tx: Tx, node: Stored[Any], ref: str, kind: type[Node] | None = None) -> None:
        """For who does not see a node it is not there, in the same words."""
        if not await self.sees(tx, node):
            raise tx.absent(ref, kind)

    async def sees(self, tx: Tx, node: Stored[Any]) -> bool:
        """Whether who calls sees a node; also where the call changes something, and so looks at everything."""
        if sees_all(tx.caller):
            return True
        look, tx.look = tx.look, partial(self._sight, tx)
        seen = await tx.sees(node)
        tx.look = look
        return seen

    async def check_rest(self, tx: Tx, name: str, state: str, by: str | None) -> None:
        """Whether who calls may change that this rests. What a person put to rest, people alone; what an agent did, that
        agent and who leads it; what the house did, or an agent to itself, whoever may change the thing at all."""
        caller, kind, agent = tx.caller, *principal_of(by)
        if caller.human or caller.house or tx.call.approval_id is not None:  # a person's yes is to this very call
            return
        if kind == "house" or (agent and name == f"agent:{agent}"):
            return
        if kind != "founder" and (by == caller.speaks_as or (agent and await self._outranks(tx, agent))):
            return
        raise Refused(
            f"{name} is {state}, by {named(by)}; only {who_lifts(by)} may change that",
            code="cross_scope_violation",
            hint=_elsewhere(caller, agent or "founder"),
            ask=agent or "founder",
        )

    async def _outranks(self, tx: Tx, agent: str) -> bool:
        me = tx.caller
        return me.agent == agent or me.role == "ceo" or (bool(me.agent) and await self._leads(tx, frozenset((agent,))))

    async def _reached(
        self, tx: Tx, verb: Verb, touch: Touch, args: Any, named: str | None
    ) -> Whose | Literal["beyond"] | None:
        """How near it is, nothing where it is nobody's in particular. Refused where it is too far; where that is to be asked
        about, said so."""
        if (named is None and touch.optional) or (touch.when and not touch.when(args)):
            return None
        far = reach(touch, tx.caller, looks=not verb.changes)
        if far == "tenant" and not touch.not_own and not touch.bars:
            return None
        target, marks = tx.target, frozenset(tx.taint)
        within = [getattr(args, touch.within)] if touch.within else []
        owner = await self._owners[touch.noun](tx, named, *within)
        tx.target = target  # asking whose it is, is not yet acting on it
        tx.taint &= marks
        if owner is None or (owner.shared and not (tx.caller.project and touch.project)):
            return None  # where there is no such thing, the verb says so better
        me = tx.caller.agent
        if me is not None and (me in owner.barred or (touch.not_own and me in owner.agents)):
            raise Refused.forbidden(f"{verb.name}: {me} does not decide that about its own; who leads it does")
        near = await self._nearness(tx, owner, far, in_person=touch.in_person)
        if reaches(far, near):
            return near
        if touch.granted and tx.door.desk and await tx.door.desk.granted(tx, verb, args):
            return near
        caller = tx.caller
        on_no_record = (
            caller.kind == "worker" and caller.given is None and not caller.names(verb)
        )  # nobody is asked for it
        if touch.beyond == "refuse" or owner.closed or on_no_record:
            raise beyond(tx.caller, verb, owner)
        return "beyond"

    async def _nearness(self, tx: Tx, owner: Owner, far: Whose, *, in_person: bool) -> Whose:
        me = tx.caller.agent_itself if in_person else tx.caller.agent
        if me in owner.agents or tx.caller.speaks_as in owner.actors:
            return "own"
        if owner.mission:
            return "mission"
        if reaches(far, "led") and owner.agents and await self._leads(tx, owner.agents):
            return "led"
        if reaches(far, "org") and owner.organisation and await self._belongs(tx, owner.organisation):
            return "org"
        return "tenant"


def _may_be_private(tx: Tx, verb: Verb) -> bool:
    """Whether what a call acts on may be of a type that not everybody sees. A noun that is no type does not tell; where the
    verb says whose that may be, it was judged by that, and an ask has a rule of its own for who answers."""
    if verb.noun in tx.catalogue.nodes:
        return verb.noun in tx.catalogue.private
    return not verb.answers and verb.target not in {touch.arg for touch in verb.touches}


def _each_named(args: Any, touch: Touch) -> list[str | None]:
    """What an argument names: one thing, several, or none."""
    given = getattr(args, touch.arg, None)
    if isinstance(given, list | tuple):
        return [str(each) for each in given]
    return [None if given is None else str(given)]


def draws_beyond(tx: Tx, verb: Verb, args: Any) -> bool:
    """Whether a call says something by a link that is not drawn by hand, and of which the verb does not say whose it may be."""
    if tx.caller.human or tx.caller.house:
        return False
    told = {touch.arg for touch in verb.touches}
    drawn = {name: each for name, each in verb.draws.items() if name not in told and getattr(args, name, None)}
    return not all(tx.catalogue.related_by_hand(verb.noun, each) for each in drawn.values())


def check_for(caller: Caller, verb: Verb, *, in_session: bool) -> None:
    """Whether the verb is for this caller at all."""
    if is_for(caller, verb, in_session=in_session):
        return
    if not verb.for_:
        raise Refused.forbidden(f"{verb.name} is a step of other verbs, and not made by itself")
    if verb.for_ in (HOUSE, SESSION):
        raise Refused.forbidden(
            f"{verb.name} is done by the house itself", hint="`hq agent send` reaches an agent", ask="founder"
        )
    if caller.project and "worker" in verb.for_:
        raise Refused(
            f"{verb.name} is not for the agent of a project",
            code="cross_scope_violation",
            hint=_elsewhere(caller, "operator"),
            ask="operator",
        )
    ask = _whom_to_ask(verb.for_)
    raise Refused.forbidden(f"{verb.name} is not for {caller.actor}; ask the {ask} to", ask=ask.lower())


def check_args_for(caller: Caller, verb: Verb, args: Any, *, in_session: bool) -> None:
    """Arguments that are for some only."""
    for name, for_ in verb.args_for.items():
        if getattr(args, name) and who_is(caller, in_session=in_session).isdisjoint(for_):
            ask = _whom_to_ask(for_)
            raise Refused.forbidden(
                f"--{name.replace('_', '-')} of {verb.name} is not for {caller.actor}; ask the {ask} to",
                ask=ask.lower(),
            )


def _whom_to_ask(for_: tuple[Who, ...]) -> str:
    return "CEO" if "ceo" in for_ else "operator" if "operator" in for_ else "founder"


def beyond(caller: Caller, verb: Verb, owner: Owner) -> Refused:
    if owner.absent is not None:
        return owner.absent
    why = owner.why or f"that is {owner.name}'s, and not {caller.actor}'s to reach"
    ask = owner.ask or ("operator" if "operator" in verb.for_ or "agent" in verb.for_ else "founder")
    return Refused(
        f"{verb.name}: {why}",
        code="cross_scope_violation",
        hint=_elsewhere(caller, ask),
        ask=ask,
    )


def _elsewhere(caller: Caller, ask: str) -> str:
    """The way there, for who can take it: nobody is sent to itself, and the agent of a project sends nobody."""
    if caller.project:
        return "say in your result what has to be done elsewhere"
    if ask == "founder" or ask in (caller.role, caller.agent):
        return "say to the founder what should happen, and why" if caller.role == "ceo" else ""
    return f'`hq agent send {ask} "…"`: say what should happen, and why'
