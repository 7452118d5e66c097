"""`hq mind list|set|test|remove|retry|stand-in`: who answers for this company."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field

from hq.door.access import EVERYONE, FOUNDER
from hq.door.json_shape import AsJson
from hq.door.tx import Tx
from hq.door.verb import Args, Result, first, verb
from hq.errors import HqError, Refused
from hq.json_types import CallArgs
from hq.minds.circuit_breaker import SQL, OpenCircuit
from hq.minds.config import PROVIDERS, WITHOUT, MindConfig, in_plain_words, lacks
from hq.minds.mind import TIERS, MindAway, MindBusy, MindRequest, Reply, Tier
from hq.minds.mind_items import BaseUrl, LackingMind, MindItem, TierItem, TriedMind
from hq.minds.plain_words import trouble
from hq.minds.rows import MindRow
from hq.minds.service import Minds, TenantMinds, config_of
from hq.money import price_text

NAME = r"^[a-z0-9][a-z0-9._-]{0,39}$"
ProviderName = Literal[
    "anthropic", "openai", "openai-chat", "google", "openrouter", "groq", "ollama", "compatible", "script"
]
COMPANY = "company"
LAST = 99
QUESTION = "Say the single word: ready"


class MindListArgs(Args):
    """Nothing to choose."""


class MindList(Result):
    tiers: AsJson[list[TierItem]]
    """Who answers for each tier, and why."""
    minds: AsJson[list[MindItem]]
    """The minds that are set or were found, in the order they are asked."""
    lacking: AsJson[LackingMind | None] = None
    """Who was set and cannot be asked, and what it lacks, in words for people; until it has that, the script answers."""


@verb("mind.list", "read", for_=EVERYONE, past=False, examples=[{}])
async def list_(tx: Tx, args: MindListArgs) -> MindList:
    """Which minds there are, and which of them answers for which tier and why."""
    minds, tenant = tx.use(Minds), tx.caller.tenant_id
    minds.forget(tenant)  # whoever looks wants to know what is, not what was two seconds ago
    company, closed = await minds.company(tenant, tx.conn), await minds.closed(tenant, tx.conn)
    rows = []
    for mind in company.minds:
        shut = closed.get(mind.name)
        rows.append(_item(mind, _key(company, mind), _state(company, mind, shut)))
    return MindList(tiers=[_tier(company, tier) for tier in TIERS], minds=rows, lacking=_lacking(company))


def _lacking(company: TenantMinds) -> LackingMind | None:
    mind = company.lacking
    return {"name": mind.name, "says": in_plain_words(mind, company.place(mind))} if mind else None


def _tier(company: TenantMinds, tier: Tier) -> TierItem:
    choice = company.choice(tier)
    said = [mind.says(tier) for mind in choice.chain]
    return {
        "tier": tier,
        "answers": said[0] if said else "script",
        "then": ", ".join(said[1:]),
        "why": choice.why,
    }


def _item(mind: MindConfig, key: str, state: str) -> MindItem:
    model = mind.model or ", ".join(dict.fromkeys(filter(None, map(mind.model_for, mind.tiers))))
    at: BaseUrl = {"base_url": mind.base_url} if mind.base_url else {}
    return {
        "name": mind.name,
        "provider": mind.provider,
        "model": model,
        "tiers": ", ".join(mind.tiers),
        "rank": mind.rank,
        **at,
        "key": key,
        "state": state,
    }


def _key(company: TenantMinds, mind: MindConfig) -> str:
    return f"{mind.key_name} ({company.place(mind)})" if mind.key_name else "none"


def _state(company: TenantMinds, mind: MindConfig, shut: OpenCircuit | None) -> str:
    place = company.place(mind)
    if place in WITHOUT:
        return lacks(mind, place)
    return f"closed until {shut.until:%Y-%m-%d %H:%M:%S}" if shut else "ready"


class MindSetArgs(Args):
    """A mind and what it is for. What is not said stays as it was."""

    name: str = first(pattern=NAME)
    """What to call it; the name of a provider is enough to use that one."""
    provider: ProviderName | None = None
    """Who runs the model; `compatible` is any server that speaks OpenAI's chat completions."""
    model: str | None = Field(None, min_length=1, max_length=200)
    """The model; left out, the provider's own for each tier."""
    tier: list[Tier] = Field(default_factory=list)
    """For which tiers; left out, all of them."""
    rank: int | None = Field(None, ge=1, le=99)
    """Its place in the order: smaller is asked first, the next one when that cannot answer."""
    base_url: str | None = Field(None, min_length=1, max_length=500)
    """Where its server is, such as http://127.0.0.1:8000/v1."""
    key: str | None = Field(None, pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$")
    """The name of its key in the vault, never the key itself."""
    seconds: int | None = Field(None, ge=1, le=3600)
    """How long an answer may take."""


class MindKnown(Result):
    id: str = COMPANY
    """Whose minds these are, in events: whoever waits for one hears of it."""
    name: str
    provider: str
    model: str | None = None
    tiers: list[str]
    rank: int
    before: CallArgs | None = None
    """How it was set, if it was: the arguments of `mind.set`."""
    lacks: str | None = None
    """What is missing before it can answer; until then the script does."""


@verb(
    "mind.set",
    "write",
    for_=FOUNDER,
    scope="founder",
    gate="system",
    emits="mind.set",
    undo="compensating",
    undo_by=lambda _input, output: (
        ("mind.set", output["before"]) if output.get("before") else ("mind.remove", {"name": output["name"]})
    ),
    examples=[
        {"name": "anthropic"},
        {
            "name": "local",
            "provider": "compatible",
            "model": "qwen3",
            "base_url": "http://127.0.0.1:8000/v1",
            "tier": ["light"],
        },
    ],
)
async def set_(tx: Tx, args: MindSetArgs) -> MindKnown:
    """Say which provider and model answers, for which tiers and in which order; the key comes from the vault."""
    known = {row.name: config_of(row) for row in await tx.rows(SQL["minds"], into=MindRow)}
    before = known.get(args.name)
    mind = _checked(_merged(args, before, max((m.rank for m in known.values()), default=0)))
    await tx.conn.execute(
        SQL["set_mind"],
        {
            "name": mind.name, "provider": mind.provider, "model": mind.model, "base_url": mind.base_url,
            "key": mind.key, "tiers": list(mind.tiers), "rank": mind.rank, "seconds": mind.seconds,
            "now": tx.now, "by": tx.caller.actor,
        },
    )  # fmt: skip
    await tx.conn.execute(SQL["try_anew"])
    tx.use(Minds).forget(tx.caller.tenant_id)
    place = await tx.use(Minds).key_place(tx.caller.tenant_id, mind)
    missing = lacks(mind, place) if place in WITHOUT else None
    return _known(mind, before, missing)


def _merged(args: MindSetArgs, before: MindConfig | None, last: int) -> MindConfig:
    provider = args.provider or (before.provider if before else args.name)
    if provider not in PROVIDERS:
        raise Refused.invalid(
            f"{provider!r} is no provider; there are {', '.join(PROVIDERS)}",
            hint="a mind of another name is given one with --provider",
        )
    kept = before if before and before.provider == provider else MindConfig(args.name, provider)
    return MindConfig(
        name=args.name,
        provider=provider,
        model=args.model or kept.model,
        base_url=args.base_url or kept.base_url,
        key=args.key or kept.key,
        tiers=tuple(t for t in TIERS if t in args.tier) or kept.tiers,
        rank=args.rank or (before.rank if before else min(last + 1, 99)),
        seconds=args.seconds or kept.seconds,
    )


def _checked(mind: MindConfig) -> MindConfig:
    if mind.wire != "script" and not mind.url:
        raise Refused.invalid(f"say --base-url for {mind.name}: where its server is")
    if mind.wire != "script" and not all(map(mind.model_for, mind.tiers)):
        raise Refused.invalid(f"say --model for {mind.name}: {mind.provider} has none that goes without saying")
    parts = urlsplit(mind.base_url or "http://x")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Refused.invalid(f"{mind.base_url!r} is not an address; say it like http://127.0.0.1:8000/v1")
    if parts.username or parts.password or parts.query:
        raise Refused.invalid("an address holds no credentials; put the key into the vault and name it with --key")
    return mind


def _known(mind: MindConfig, before: MindConfig | None, lacks: str | None = None) -> MindKnown:
    return MindKnown(
        name=mind.name,
        provider=mind.provider,
        model=mind.model,
        tiers=list(mind.tiers),
        rank=mind.rank,
        before=_again(before) if before else None,
        lacks=lacks,
    )


def _again(mind: MindConfig) -> CallArgs:
    """The arguments that set it as it is."""
    said: CallArgs = {"name": mind.name, "provider": mind.provider, "tier": list(mind.tiers), "rank": mind.rank}
    more = {"model": mind.model, "base_url": mind.base_url, "key": mind.key, "seconds": mind.seconds}
    return said | {name: value for name, value in more.items() if value is not None}


class MindRemoveArgs(Args):
    """Which mind."""

    name: str = first(pattern=NAME)
    """As `hq mind list` shows it."""


@verb(
    "mind.remove",
    "write",
    for_=FOUNDER,
    scope="founder",
    gate="system",
    emits="mind.removed",
    undo="compensating",
    undo_by=lambda _input, output: ("mind.set", output["before"]),
    examples=[{"name": "anthropic"}],
)
async def remove(tx: Tx, args: MindRemoveArgs) -> MindKnown:
    """Take a mind out of use. Its key stays in the vault."""
    row = await tx.one(SQL["remove_mind"], {"name": args.name}, into=MindRow)
    if row is None:
        raise Refused.not_found(f"no mind is set as {args.name!r}", hint="`hq mind list` shows them")
    tx.use(Minds).forget(tx.caller.tenant_id)
    mind = config_of(row)
    return _known(mind, mind)


class MindRetryArgs(Args):
    """Nothing to choose."""


class MindsRetried(Result):
    id: str = COMPANY
    opened: int
    """How many providers had been left alone."""


@verb("mind.retry", "write", on_card=True, for_=FOUNDER, scope="founder", emits="mind.retried", examples=[{}])
async def retry(tx: Tx, args: MindRetryArgs) -> MindsRetried:
    """Ask again at once those that did not answer or had used up their quota; who waits for them goes on."""
    opened = await tx.the_scalar(SQL["open_doors"], of=int)
    tx.use(Minds).forget(tx.caller.tenant_id)
    return MindsRetried(opened=opened)


class MindStandInArgs(Args):
    """Who answers instead."""

    name: str = first(default="script", pattern=NAME)
    """A mind that is set for something else, as `hq mind list` shows it; left out, the script."""


@verb(
    "mind.stand_in",
    "write",
    on_card=True,
    for_=FOUNDER,
    scope="founder",
    gate="system",
    emits="mind.stood_in",
    examples=[{}],
)
async def stand_in(tx: Tx, args: MindStandInArgs) -> MindKnown:
    """Let another mind answer for every tier whenever those before it cannot. They are asked first as soon as they can again."""
    company = await tx.use(Minds).company(tx.caller.tenant_id)
    known = {mind.name: mind for mind in company.minds}
    if args.name not in known and args.name != "script":
        raise Refused.not_found(f"no mind is set as {args.name!r}", hint="`hq mind list` shows them")
    for mind in company.minds:
        if mind.found:  # what was only found gives way to what is set
            await tx.inner("mind.set", {"name": mind.name, "rank": mind.rank + 1})
    set_last = {"name": args.name, "tier": list(TIERS), "rank": LAST}
    told = await tx.inner("mind.set", set_last if args.name in known else set_last | {"provider": "script"})
    return MindKnown.model_validate(told)


class MindTestArgs(Args):
    """Which mind."""

    name: str | None = first(default=None, pattern=NAME)
    """As `hq mind list` shows it; left out, all of them."""
    tier: Tier = "default"
    """Which of its models."""
    seconds: int = Field(60, ge=1, le=3600)
    """How long to wait for an answer; never longer than that mind's answers may take."""


class MindTested(Result):
    items: AsJson[list[TriedMind]]
    """What each of them said, how long it took and what it cost."""


@verb("mind.test", "effect", for_=FOUNDER, scope="founder", examples=[{}])
async def test(tx: Tx, args: MindTestArgs) -> MindTested:
    """Really ask a mind something small: whether it answers, how fast, for how many tokens and how much money. It is a test of the
    provider and no work of the company's, so `hq cost` leaves it out."""
    minds, tenant = tx.use(Minds), tx.caller.tenant_id
    minds.forget(tenant)  # a key that was given a moment ago is the one that is tried
    company = await minds.company(tenant)
    script = MindConfig("script", "script")
    known = {mind.name: mind for mind in company.minds} or {"script": script}
    if args.name is not None and args.name not in known:
        if args.name != "script":
            raise Refused.not_found(f"no mind is set as {args.name!r}", hint="`hq mind list` shows them")
        known = {"script": script}
    wanted = [known[args.name]] if args.name else list(known.values())
    tries = (_tried(minds, tx, replace(mind, seconds=min(mind.seconds, args.seconds)), args.tier) for mind in wanted)
    rows = await asyncio.gather(*tries)
    if not any(row["ok"] for row in rows):
        hint = "; ".join(filter(None, (row.get("hint") for row in rows)))
        raise Refused.conflict("; ".join(row["said"] for row in rows), hint=hint)
    return MindTested(items=rows)


async def _tried(minds: Minds, tx: Tx, mind: MindConfig, tier: Tier) -> TriedMind:
    from pydantic_ai.messages import ModelRequest

    try:
        one = await minds.one(tx.caller.tenant_id, mind, knocks=True)
        asked = MindRequest([ModelRequest.user_text_prompt(QUESTION)], max_tokens=256, tier=tier, purpose="mind.test")
        reply = await one.answer(asked)
    except HqError as error:
        state = "busy" if isinstance(error, MindBusy) and not isinstance(error, MindAway) else error.code.name
        said, model, hint = trouble(mind, tier, error), mind.says(tier), error.hint
        if "timeout" in error.details:
            hint = f"`hq mind test {mind.name} --seconds {2 * mind.seconds}` waits longer, `hq mind set {mind.name} --seconds` lets it"
        return {"name": mind.name, "model": model, "ok": False, "state": state, "said": said, "hint": hint}
    return _measured(mind, reply)


def _measured(mind: MindConfig, reply: Reply) -> TriedMind:
    return {
        "name": mind.name,
        "model": reply.model,
        "ok": True,
        "state": "answered",
        "said": (reply.response.text or "").strip()[:80],
        "latency_ms": round(reply.latency_ms, 1),
        "tokens_in": reply.usage.tokens_in,
        "tokens_out": reply.usage.tokens_out,
        "cost": price_text(reply.cost_usd),
    }


VERBS = (list_, set_, remove, retry, stand_in, test)
