"""Onboarding: a few questions that make a working company. Each answer is set by the verb that owns it, in the same call.

What was answered is read from the ledger, so whoever breaks off goes on where they were, on any device.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Literal, get_args

from pydantic import Field

from hq.agents.files.folder import AgentFiles
from hq.agents.files.introduction import introduce
from hq.agents.loader import first_load
from hq.chat.verbs import end_of
from hq.database.queries import beside
from hq.door.access import FOUNDER
from hq.door.tx import Tx
from hq.door.verb import Args, Result, verb
from hq.errors import Outage, Refused
from hq.json_types import CallArgs
from hq.minds.config import PROVIDERS, MindConfig
from hq.minds.service import Minds
from hq.new_request import wished_for
from hq.org.ceo_agent import ceo
from hq.sessions.thread import speak

SQL = beside(__file__)
Step = Literal["company", "founder", "ceo", "philosophy", "risk", "budget", "provider", "mission"]
STEPS: tuple[Step, ...] = get_args(Step)
QUESTIONS: dict[Step, str] = {
    "company": "What is the company called?",
    "founder": "What is your name?",
    "ceo": "What shall your CEO be called?",
    "philosophy": "How do you want the company to be led, in a sentence or two?",
    "risk": "How much may happen without asking you: cautious, balanced or aggressive?",
    "budget": "How many US dollars may be spent in a month, at most?",
    "provider": "Whose model answers?",
    "mission": "What shall the company do first?",
}
OFFERED = ("anthropic", "openai", "google", "openrouter", "groq", "ollama", "compatible")
KEYS = {"compatible": "compatible_api_key"}
"""Where the key of one lies that may have one and need not."""
GREETING = "Hello{founder}. We begin with {mission}. What do you need from me?"


class OnboardAnswerArgs(Args):
    """Whatever you can say already. The rest is asked later."""

    company: str | None = Field(None, min_length=1, max_length=100)
    """The company's name."""
    founder: str | None = Field(None, min_length=1, max_length=100)
    """Your name."""
    ceo: str | None = Field(None, min_length=1, max_length=60)
    """What your CEO is called."""
    philosophy: str | None = Field(None, min_length=1, max_length=1000)
    """How the company is led."""
    risk: Literal["cautious", "balanced", "aggressive"] | None = None
    """How much may happen without asking."""
    budget: float | None = Field(None, gt=0, le=1_000_000)
    """US dollars a month that are never exceeded."""
    provider: str | None = Field(None, min_length=1, max_length=60)
    """Whose model answers, such as anthropic, instead of what was set; `none` for the script that comes with hq."""
    model: str | None = Field(None, min_length=1, max_length=200)
    """Which model of the provider, where it is not to be the usual one; some have none that goes without saying."""
    base_url: str | None = Field(None, min_length=1, max_length=500)
    """Where the provider's server is, such as http://127.0.0.1:8000/v1, for one that is not at a known place."""
    mission: str | None = Field(None, min_length=1, max_length=200)
    """What the company does first."""
    skip: list[Step] = Field(default_factory=list)
    """Questions that you do not want to answer."""


class OnboardingAsked(Result):
    step: str
    question: str
    state: Literal["open", "answered", "skipped"]
    answer: str | None = None


class OnboardingProvider(Result):
    """One whose model may answer, and what it takes for that."""

    name: str
    label: str
    key: str | None = None
    """The name of its key in the vault; one that needs none may have one."""
    needs_key: bool
    needs_model: bool
    needs_base_url: bool
    chosen: bool = False
    model: str | None = None
    """The model that is set, where it is not the usual one."""
    base_url: str | None = None
    """Where its server is, where that was said."""


class Onboarding(Result):
    steps: list[OnboardingAsked]
    next: str | None = None
    """The question that comes next; none when all are answered or skipped."""
    done: bool
    mission: str | None = None
    """The first mission's slug."""
    lacks: str | None = None
    """What is missing before the provider can answer; until then the script does."""
    agent: str | None = None
    """The CEO, once it is done."""
    after: str | None = None
    """Where the CEO's first answer will come, once it is done: pass it to chat.follow."""
    providers: list[OnboardingProvider] = Field(default_factory=list)
    """Who may be chosen; told by onboard.show."""


class OnboardShowArgs(Args):
    """Nothing to choose."""


@verb("onboard.show", "read", for_=FOUNDER, scope="founder", past=False, examples=[{}])
async def show(tx: Tx, args: OnboardShowArgs) -> Onboarding:
    """How far the onboarding is: what was answered, what was skipped, what comes next."""
    told = _as_result(await _so_far(tx))
    company = await tx.use(Minds).company(tx.caller.tenant_id)
    return told.model_copy(update={"providers": providers({mind.provider: mind for mind in company.minds})})


def providers(set_: Mapping[str, MindConfig]) -> list[OnboardingProvider]:
    """Everybody that can be chosen, in the order in which they are offered."""
    return [
        OnboardingProvider(
            name=name,
            label=known.label,
            key=known.key or KEYS.get(name),
            needs_key=known.key is not None,
            needs_model=not known.models,
            needs_base_url=known.base_url is None,
            chosen=name in set_,
            model=set_[name].model if name in set_ else None,
            base_url=set_[name].base_url if name in set_ else None,
        )
        for name in OFFERED
        if (known := PROVIDERS[name])
    ]


@verb(
    "onboard.answer",
    "write",
    for_=FOUNDER,
    scope="founder",
    alias="onboard",
    emits="onboarding.answered",
    examples=[{"company": "Acme", "founder": "Ana", "ceo": "Ada", "risk": "balanced", "skip": ["provider"]}],
    text="hq.ceo.ceo_text:onboarded",
)
async def answer(tx: Tx, args: OnboardAnswerArgs) -> Onboarding:
    """Answer the questions that make a working company, all at once or one by one; without any you are asked."""
    await first_load(tx)
    before = await _so_far(tx)
    given = args.model_dump(exclude_none=True)
    mission, lacks = await _apply(tx, args)
    after = before | {step: given.get(step, "") for step in STEPS if step in given or step in args.skip}
    await _introduce(tx, after)
    told = _as_result(after)
    news = {"mission": mission, "lacks": lacks}
    if not told.done or _as_result(before).done:
        return told.model_copy(update=news)
    tx.emit("onboarding.finished")
    agent = await ceo(tx)
    place = await end_of(tx, agent)
    await speak(tx, agent, _greeting(after))
    return told.model_copy(update=news | {"agent": agent, "after": str(place)})


async def _apply(tx: Tx, args: OnboardAnswerArgs) -> tuple[str | None, str | None]:
    """Each by its own verb, with its own checks. The mission's slug, and what the provider lacks."""
    company = {"name": args.company, "risk_tolerance": args.risk}
    if wanted := {name: value for name, value in company.items() if value}:
        await tx.inner("tenant.set", wanted)
    if args.founder and (founder := await tx.founder()):
        await tx.inner("contact.update", {"ref": str(founder.id), "name": args.founder})
    if args.budget:
        await tx.inner("budget.set", {"on": "company", "period": "month", "usd_hard": args.budget})
    if not args.provider and (args.model or args.base_url):
        raise Refused.invalid("say --provider too: whose model it is")
    lacks = await _switch(tx, args.provider.lower(), args) if args.provider else None
    if not args.mission:
        return None, lacks
    made = await tx.inner(
        "mission.create", {"title": wished_for(args.mission), "deliverables": ["The founder likes it"]}
    )
    return made.slug, lacks  # the CEO hears of it with the greeting, and finds somebody for it


async def _switch(tx: Tx, provider: str, args: OnboardAnswerArgs) -> str | None:
    """This one answers and nobody else. Also the script is set: a key that lies there would be used without being asked."""
    name = "script" if provider == "none" else provider
    said = {"name": name, "model": args.model, "base_url": args.base_url, "key": await _own_key(tx, name)}
    made = await tx.inner("mind.set", {each: value for each, value in said.items() if value})
    for other in await tx.scalars(SQL["other_minds"], {"name": name}, of=str):
        await tx.inner("mind.remove", {"name": other})
    return made.lacks


async def _own_key(tx: Tx, name: str) -> str | None:
    """The key of one that need not have one, where it was put into the vault."""
    key = KEYS.get(name)
    mind = MindConfig(name, name, key=key)
    return key if key and await tx.use(Minds).key_place(tx.caller.tenant_id, mind) == "vault" else None


async def _introduce(tx: Tx, answers: Mapping[str, Any]) -> None:
    """The CEO reads in its own files what it is called and whom it works for."""
    about = {
        "ceo": "You are called {}.",
        "company": "You lead {}.",
        "founder": "The founder is {}.",
        "philosophy": "How the founder wants the company led: {}",
    }
    lines = [says.format(answers[step]) for step, says in about.items() if answers.get(step)]
    company, agent = await tx.the_scalar(SQL["company_slug"], of=str), await ceo(tx)
    folder = tx.use(AgentFiles).folder(company) / agent
    try:
        await asyncio.to_thread(introduce, folder, title=answers.get("ceo"), about=lines)
    except OSError as error:
        raise Outage(f"the CEO's files in {folder} cannot be written ({error.strerror or error})") from error
    await tx.inner("agent.load", {"agent": agent})


async def _so_far(tx: Tx) -> CallArgs:
    """What `onboard.answer` was called with: every step that was answered or skipped, a skipped one with an empty answer."""
    found: CallArgs = {}
    for call in await tx.scalars(SQL["onboarded"], of=dict):
        given = call or {}
        found |= {step: given.get(step, "") for step in STEPS if step in given or step in given.get("skip", ())}
    return found


def _as_result(answers: Mapping[str, Any]) -> Onboarding:
    steps = [
        OnboardingAsked(
            step=step,
            question=QUESTIONS[step],
            state="open" if step not in answers else "answered" if answers[step] else "skipped",
            answer=str(answers[step]) if answers.get(step) else None,
        )
        for step in STEPS
    ]
    open_ = [each.step for each in steps if each.state == "open"]
    return Onboarding(steps=steps, next=open_[0] if open_ else None, done=not open_)


def _greeting(answers: Mapping[str, Any]) -> str:
    mission = f"“{answers['mission']}”" if answers.get("mission") else "nothing in particular yet"
    return GREETING.format(founder=f", I am {answers['founder']}" if answers.get("founder") else "", mission=mission)


VERBS = (show, answer)
