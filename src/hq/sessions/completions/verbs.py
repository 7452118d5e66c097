"""Completions: what programs ask that talk to hq as to a model, each a session of its own, apart from the founder's thread."""

from __future__ import annotations

import asyncio
from typing import TypedDict
from uuid import UUID

from psycopg.types.json import Jsonb
from pydantic import Field

from hq import json_schema
from hq.database.queries import beside
from hq.door.access import FOUNDER, STAFF, Touch
from hq.door.json_shape import AsJson
from hq.door.results import Page, page
from hq.door.tx import Tx
from hq.door.verb import Args, Result, first, verb
from hq.engine.sessions.steps import VerbStep
from hq.engine.sessions.trigger import SessionTrigger
from hq.errors import Refused
from hq.ids import is_id, parse_id
from hq.json_types import JsonSchema
from hq.org.ceo_agent import ceo
from hq.sessions.completions.completion import Completion, cost_of, read_completion, request_of
from hq.sessions.completions.request import ClientMessage, CompletionArgs
from hq.sessions.completions.rows import ListedCompletionRow
from hq.sessions.completions.view import CompletionOpened
from hq.sessions.session_start import open_session, working_agent

SQL = beside(__file__)
EXAMPLE = "019dfc66-b817-716a-8756-021456eeb0e3"
SAID = 4_000
"""Characters of what was said last that are kept with the session; the request has all of it."""
MARK = "client"
"""Where what programs bring came from."""


class CompletionStarted(Result):
    completion: str
    """Its id, which is its session's."""
    agent: str


@verb(
    "client.ask",
    "write",
    for_=FOUNDER,
    scope="founder",
    internal=True,
    emits="client.asked",
    by_hash=["messages", "system", "tools"],
)
async def create(tx: Tx, args: CompletionArgs) -> CompletionStarted:
    """Ask an agent as a program asks a model: one request, a session of its own, one answer."""
    await asyncio.to_thread(_check, args)
    if args.previous and not await tx.scalars(SQL["remembered"], {"ids": [args.previous]}, of=UUID):
        raise Refused.not_found(f"there is no completion {args.previous}", param="previous")
    return await _begun(tx, args)


async def _begun(tx: Tx, args: CompletionArgs) -> CompletionStarted:
    agent = await working_agent(tx, args.agent or await ceo(tx))
    if args.from_outside:
        tx.taint.add(MARK)
    trigger = SessionTrigger(
        text=args.said[:SAID],
        summary=f"{args.client} asks: {args.said[:150]}",
        sender=tx.caller.actor,
        client=args.client,
        tier=args.tier,
    )
    session = await open_session(tx, agent.slug, "dm", trigger, kind="thread")
    request = Jsonb(args.model_dump(mode="json", exclude_defaults=True))
    await tx.conn.execute(SQL["keep"], {"id": session, "request": request, "now": tx.now})
    return CompletionStarted(completion=str(session), agent=agent.slug)


def _check(args: CompletionArgs) -> None:
    """What does not go together; what whoever answers cannot do, its session finds out."""
    names = [tool.name for tool in args.tools]
    if args.choice not in ("auto", "none", "required", *names):
        raise Refused.invalid(f"{args.choice!r} is none of the tools that were sent", param="choice")
    if args.choice == "required" and not names:
        raise Refused.invalid("a call is required, and no tools were sent", param="choice")
    if len(set(names)) < len(names):
        raise Refused.invalid("two tools have the same name", param="tools")
    if args.format:
        _check_schema(args.format, "the format's", "format")
    for tool in args.tools:
        _check_schema(tool.parameters, f"{tool.name}'s", "tools", tried=bool(tool.strict))


def _check_schema(schema: JsonSchema, whose: str, param: str, *, tried: bool = True) -> None:
    try:
        json_schema.check(schema, tried=tried)
    except json_schema.SchemaUnusable as error:
        raise Refused.invalid(f"{whose} JSON Schema cannot be used: {error}", param=param) from None


class CompletionRefArgs(Args):
    """Which completion."""

    completion: str = first(max_length=60)
    """Its id, as `hq client list` shows it."""


@verb("client.ask_again", "write", for_=FOUNDER, scope="founder", internal=True, emits="client.asked_again")
async def ask_again(tx: Tx, args: CompletionRefArgs) -> CompletionStarted:
    """Ask once more what a program asked, under the same key: which completion answers it. One that an outage ended was no answer, so
    another is begun in its place; not where something was done already, which would be done twice."""
    asked = await _found(tx, args.completion)
    newest = await tx.the_scalar(SQL["answered_by"], {"id": asked.id}, of=UUID)
    found = await _found(tx, str(newest))
    if found.failure is None or not found.failure.passes or _acted(tx, found):
        return CompletionStarted(completion=str(found.id), agent=found.row.agent)
    begun = await _begun(tx, await request_of(tx, asked.id))
    await tx.conn.execute(SQL["answer_by"], {"id": asked.id, "by": UUID(begun.completion)})
    return begun


def _acted(tx: Tx, found: Completion) -> bool:
    """Whether its mind did something before it came to nothing."""
    made = [
        tx.door.registry.verbs.get(step.verb or "") for _, step in found.steps if isinstance(step, VerbStep) and step.ok
    ]
    return any(verb is not None and verb.changes for verb in made)


class CompletionCall(TypedDict):
    """A call that a program is to make."""

    name: str
    arguments: str


class CompletionDetail(Result):
    completion: str
    agent: str
    client: str
    """The program that asked."""
    asked: str
    """What the user said last."""
    state: str
    answer: str
    calls: AsJson[list[CompletionCall]] = Field(default_factory=list)
    """What the program is to call."""
    trouble: str | None = None
    model: str | None = None
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    cost_usd: float | None = None
    """Nothing where a call has no price."""
    at: str
    ended_at: str | None = None


@verb(
    "client.show",
    "read",
    for_=STAFF,
    touches=Touch("completion", "session", agent="led"),
    past=False,
    examples=[{"completion": EXAMPLE}],
)
async def show(tx: Tx, args: CompletionRefArgs) -> CompletionDetail:
    """What a program asked, what it was answered, and what that cost."""
    found = await _found(tx, args.completion)
    cost, (tokens_in, tokens_out) = await cost_of(tx, found.id), found.tokens
    return CompletionDetail(
        completion=str(found.id),
        agent=found.row.agent,
        client=found.row.client or "",
        asked=found.row.said or "",
        state=found.row.state,
        answer=found.text,
        calls=[{"name": call.name, "arguments": call.arguments} for call in found.calls],
        trouble=found.failure.why if found.failure else None,
        model=found.model,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        tokens_cached=cost.cached,
        cost_usd=float(cost.cost) if cost.cost is not None else None,
        at=found.row.created_at.isoformat(),
        ended_at=found.row.ended_at.isoformat() if found.row.ended_at else None,
    )


class CompletionInput(Result):
    completion: str
    messages: AsJson[list[ClientMessage]]
    """What was said, in order."""


@verb(
    "client.input",
    "read",
    for_=FOUNDER,
    past=False,
    internal=True,
    examples=[{"completion": EXAMPLE}],
)
async def input_(tx: Tx, args: CompletionRefArgs) -> CompletionInput:
    """What a program said when it asked, all of it; of what it has not had forgotten."""
    found = await _remembered(tx, args.completion)
    return CompletionInput(completion=str(found.id), messages=(await request_of(tx, found.id)).messages)


class CompletionForgotten(Result):
    completion: str


@verb("client.forget", "write", for_=FOUNDER, scope="founder", internal=True, emits="client.forgotten")
async def forget(tx: Tx, args: CompletionRefArgs) -> CompletionForgotten:
    """Have no program get this again. The record of what was asked and done stays."""
    found = await _remembered(tx, args.completion)
    await tx.conn.execute(SQL["forget"], {"id": found.id, "now": tx.now})
    return CompletionForgotten(completion=str(found.id))


class CompletionListArgs(Args):
    """Which completions."""

    limit: int = Field(50, ge=1, le=200)
    """How many at most."""
    after: str | None = Field(None, max_length=60)
    """The `next` of the page before."""


class CompletionItem(TypedDict):
    """A completion in brief."""

    completion: str
    client: str | None
    agent: str
    state: str
    asked: str
    at: str


@verb("client.list", "read", for_=STAFF, past=False, examples=[{}])
async def list_(tx: Tx, args: CompletionListArgs) -> Page[CompletionItem]:
    """What programs asked that talk to hq as to a model, newest first."""
    about: dict[str, object] = {"sees": await tx.seen_agents(), "limit": args.limit + 1}
    about["before"] = parse_id(args.after) if args.after else None
    rows = await tx.rows(SQL["completions"], about, into=ListedCompletionRow)
    return page(rows, args.limit, lambda r: r.id, _in_brief)


def _in_brief(r: ListedCompletionRow) -> CompletionItem:
    return {
        "completion": str(r.id),
        "client": r.client,
        "agent": r.agent,
        "state": r.state,
        "asked": (r.said or "")[:150],
        "at": r.created_at.isoformat(),
    }


@verb("client.follow", "stream", for_=FOUNDER, past=False, internal=True)
async def follow(tx: Tx, args: CompletionRefArgs) -> CompletionOpened:
    """Follow a completion: its words while they are said, until it is over."""
    found = await _found(tx, args.completion)
    return CompletionOpened(
        completion=str(found.id),
        events_after=str(await tx.the_scalar(SQL["settled"], of=int)),
        stream=f"/v1/responses/resp_{found.id.hex}",
        tenant_id=tx.caller.tenant_id,
        credential=tx.caller.credential_id,
    )


async def _found(tx: Tx, ref: str) -> Completion:
    found = await read_completion(tx, parse_id(ref)) if is_id(ref) else None
    if found is None:
        raise Refused.not_found(f"there is no completion {ref!r}", hint="`hq client list` shows what there is")
    return found


async def _remembered(tx: Tx, ref: str) -> Completion:
    found = await _found(tx, ref)
    if not await tx.scalars(SQL["remembered"], {"ids": [found.id]}, of=UUID):
        raise Refused.not_found(f"there is no completion {ref!r}; it was forgotten")
    return found


VERBS = (create, ask_again, show, input_, forget, list_, follow)
