"""The transaction that a handler works with: the graph, who called, and what to tell the world."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar
from uuid import UUID

from hq.database.queries import beside
from hq.door.access import AT_REST, is_for
from hq.door.access_rule import Access
from hq.door.caller import Caller
from hq.graph.moment import AsOf
from hq.graph.records import End, Stored
from hq.graph.store import Graph
from hq.graph.types import Node
from hq.ids import new_id
from hq.json_types import CallArgs, EventPayload

if TYPE_CHECKING:
    from hq.door.door import Door
    from hq.door.replay import EarlierCall


@dataclass(frozen=True)
class Journalled:
    """Where in a session's journal a call belongs: its outcome is written there in the same transaction."""

    session_id: UUID
    step: int
    holder: str
    tool_call: str


@dataclass(frozen=True)
class Freeze:
    """What is frozen or paused: `all`, somebody, or a thing with all below it."""

    scope: str
    state: str
    by: str | None
    reason: str | None
    binds: bool
    """Whether who calls acts for it."""


class EmittedEvent(TypedDict):
    """What a call says to the world, as it goes into the outbox."""

    topic: str
    payload: EventPayload


@dataclass(frozen=True)
class Call:
    """A verb to be called, as it came in at some face."""

    verb: str
    args: CallArgs
    token: str
    key: str | None = None
    """Idempotency key: the same one with the same arguments acts once."""
    reason: str = ""
    actor: str | None = None
    at: str | None = None
    known_at: str | None = None
    session_id: UUID | None = None
    journal: Journalled | None = None
    task_id: UUID | None = None
    trace_id: UUID = field(default_factory=new_id)
    parent_id: UUID | None = None
    taint: frozenset[str] = frozenset()
    approval_id: UUID | None = None
    """Set by the door alone, when an approved call goes on."""
    inside: bool = False
    """Made by a verb as part of its work, so it may use the keys that are kept for that."""
    only: frozenset[str] | None = None
    """The verbs that the session was offered, where a mind makes the call; its other calls are part of running it."""
    quiet: bool = False
    """A step of the call it follows, which is told of only where it fails."""
    fallback: Call | None = None
    """Made after this one, where this one follows another and is refused; its reason is why."""


SQL = beside(__file__)
S = TypeVar("S")
REHEARSED = (
    "call",
    "target",
    "taint",
    "undoes",
    "queues_work",
    "events",
    "follow_ups",
    "on_recorded",
    "on_committed",
    "_unproven",
)
"""What a handler leaves in its transaction beside the database."""


class Tx(Graph):
    """One call's transaction. `target` is what the ledger will say it acted on."""

    def __init__(
        self, door: Door, conn: Any, call: Call, caller: Caller, seq: int, action_id: UUID, as_of: AsOf | None
    ):
        super().__init__(conn, door.catalogue, door.clock.now(), caller.producer_id, as_of)
        self.door = door
        self.call = call
        self.caller = caller
        self.seq = seq
        self.action_id = action_id
        self.target: Stored[Any] | None = None
        self.prepared: Any = None
        """What an effect looked up before it let go of the database."""
        self.undoes: UUID | None = None
        self.closed = False
        self.has_mail: bool | None = None
        """What was found with the step in its session's journal: whether something was said to that meanwhile."""
        self.queues_work = False
        """A session is ready to be worked on: the workers are told at once, not only when the router comes by."""
        self.freezes: list[Freeze] = []
        self.granted: Stored[Any] | None = None
        """The grant by which who calls was given the verb."""
        self.earlier: EarlierCall | None = None
        """What was done before under its key."""
        self.asks: list[str] = []
        """Addresses outside that it asks, where what it acts on names them and its arguments do not."""
        self.events: list[EmittedEvent] = []
        self.follow_ups: list[Call] = []
        """Calls to make once this one is committed."""
        self.on_recorded: list[Callable[[Tx], Awaitable[None]]] = []
        """What an effect leaves in the database once it has happened, in the transaction that records it."""
        self.on_committed: list[Callable[[], Awaitable[None]]] = []
        """What to do outside the database once this is committed; it must be such that it can be made up for later."""
        self.taint |= call.taint
        if caller.mark and call.session_id is None:  # what is said in a session its agent says
            self.taint.add(caller.mark)

    def can_list(self, kind: type[Node]) -> bool:
        """There is such a command, for who calls, and where a model does, among its tools."""
        lists = self.door.registry.verbs.get(f"{kind.type}.list")
        there = lists is not None and is_for(self.caller, lists, in_session=self.call.session_id is not None)
        return there and (self.call.only is None or f"{kind.type}.list" in self.call.only)

    @asynccontextmanager
    async def attempted(self) -> AsyncIterator[None]:
        """Do something of which nothing is left where it is refused; the call itself goes on."""
        kept = {name: copy(getattr(self, name)) for name in REHEARSED}
        try:
            async with self.conn.transaction():
                yield
        except BaseException:
            for name, value in kept.items():
                setattr(self, name, value)
            raise

    @asynccontextmanager
    async def rehearsed(self) -> AsyncIterator[None]:
        """Do something as if it were approved, and leave nothing of it behind: only whether it works is of interest."""
        kept = {name: copy(getattr(self, name)) for name in REHEARSED}
        self.call = replace(self.call, approval_id=new_id())
        try:
            async with self.conn.transaction(force_rollback=True):
                yield
        finally:
            for name, value in kept.items():
                setattr(self, name, value)

    async def check_state(self, node: Stored[Any], state: str | None) -> None:
        """What somebody put to rest stays so, whatever verb it is that would change it, but for who is of their rank."""
        if state in AT_REST:
            await self.check_put_there(node, state)
            self.queues_work = True  # sessions that rested with it

    async def check_put_there(self, node: Stored[Any], state: str) -> None:
        """Whether who calls may bring it out of the state that somebody put it in."""
        by = await self.scalar(SQL["rested_by"], [node.id, state], of=str)
        await self.use(Access).check_rest(self, f"{node.type}:{node.slug}", state, by)

    async def founder(self) -> End | None:
        """The founder's own node. What a link needs of it never changes, so one look per process is enough."""
        if (id := self.caller.founder_id) is None:
            return None
        if id not in self.door.founders:
            node = await self.get(id)
            self.door.founders[id] = End(node.id, node.type, node.slug)
        return self.door.founders[id]

    async def seen_agents(self) -> list[str] | None:
        """The agents whose things are seen; nothing where everybody's are."""
        sight = await self.sight()
        return sight.agents if sight else None

    async def seen_principals(self) -> list[UUID] | None:
        """Those whose calls are seen; nothing where everybody's are."""
        sight = await self.sight()
        return sight.principals if sight else None

    async def inner(self, verb: str, args: CallArgs) -> Any:
        """A verb inside this one: judged like any call, a row of its own in the ledger, in this transaction."""
        from hq.door.inner import inner_call

        return await inner_call(self, verb, args)

    def use(self, service: type[S]) -> S:
        """Something from outside the graph that was handed to the door at composition, such as the vault."""
        return self.door.services[service]

    def emit(self, topic: str, **payload: Any) -> None:
        """Say something to the world, in this transaction; the announcer carries it out in order."""
        self.events.append({"topic": topic, "payload": payload})
