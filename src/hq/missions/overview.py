"""`hq mission show`: a mission whole, with how it stands: who works on it, what it waits for, what it cost, how it opens."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NotRequired, TypedDict, cast

from pydantic import Field

from hq.asks.types import Ask
from hq.database.queries import beside
from hq.door.access import EVERYONE
from hq.door.json_shape import AsJson
from hq.door.results import Detail
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, first, verb
from hq.door.verbs.links import shown_links
from hq.graph.records import Stored
from hq.minds.prompt_data import quoted
from hq.missions.checks import needs_person
from hq.missions.delivery import look
from hq.missions.life import OVER
from hq.missions.output import output_of
from hq.missions.parties import parties
from hq.missions.progress import EvidenceShown, MissionPart, rolled_up
from hq.missions.rows import AskedOfRow, PendingHireRow, WhoWorksRow
from hq.missions.types import Mission
from hq.missions.work_start import waits_on
from hq.money import money, spent_text
from hq.terminal.width import shortened
from hq.workspace.own_tree import unmerged_files
from hq.workspace.snapshots.threads import in_thread
from hq.workspace.verbs.workspace_verbs import company

SQL = beside(__file__)
GIVEN_OUT = timedelta(minutes=1)
"""How long after a hire its mission may still be on its way to who was hired."""
NAMED, OUTCOME = 20, 400
"""Files and parts that are named, and characters of what came of each."""
WORDS = 100
"""Characters of a question that somebody waits for."""


class MissionShowArgs(Args):
    """Which mission."""

    ref: Ref = first()
    """Slug of the mission."""


Assignee = TypedDict("Assignee", {"with": NotRequired[str]})


class MissionWork(Assignee, total=False):
    """Who works on a mission, and what it waits for."""

    works_on_it: list[str]
    waits_for: list[str]
    stopped: str | None


class EvidenceTold(TypedDict, total=False):
    """What a mission has to bring and what was found, as far as there is anything to say."""

    deliverable: str
    status: str
    seen: str


class MissionNumbers(TypedDict, total=False):
    """What it cost, and what is left."""

    parts: list[str] | None
    cost: str
    left: str | None
    evidence: list[EvidenceTold]


class MissionFilesTold(TypedDict, total=False):
    """What there is to open."""

    files_not_merged_yet: list[str]
    opens: str


class MissionState(MissionWork, MissionNumbers, MissionFilesTold):
    """How a mission stands, by what is worth a word."""


class MissionDetail(Detail):
    now: AsJson[MissionState] = Field(default_factory=MissionState)
    """How it stands: who works on it, what it waits for, parts, cost, evidence, how it opens, files not merged yet."""


@verb("mission.show", "read", for_=EVERYONE, target="ref", examples=[{"ref": "flight-tracker"}])
async def show(tx: Tx, args: MissionShowArgs) -> MissionDetail:
    """Show a mission: what it is, how it stands, who works on it, what it cost, how it opens."""
    tx.target = mission = await tx.get(args.ref, Mission)
    found = mission.full() | await shown_links(tx, mission)
    return MissionDetail.model_validate(found | ({"now": await stands(tx, mission)} if tx.as_of is None else {}))


async def stands(tx: Tx, mission: Stored[Mission]) -> MissionState:
    told = {**await _work(tx, mission), **await _numbers(tx, mission), **await _files(tx, mission)}
    return cast("MissionState", {name: value for name, value in told.items() if value not in (None, [], "")})


def needs(mission: Stored[Mission]) -> str | None:
    """Why whoever gave it is wanted; nothing while it is under way."""
    props = mission.props
    match props.status:
        case "done" | "failed" | "taken_back":
            return props.became
        case "backlog":
            return "nobody works on it"
        case "review" if needs_person(props.deliverables):
            return "its evidence waits for a sign-off"
        case "planning" if props.plan and props.plan_accepted_at is None:
            return "its plan waits for a yes"
        case "assigned" if props.counter is not None:
            return "its agent asks for other terms"
        case _:
            return None


async def pending_hires(tx: Tx, mission: Stored[Mission]) -> list[PendingHireRow]:
    """Who is to be hired for it, once somebody says yes, and given it then."""
    values = {"id": str(mission.id), "slug": mission.slug, "since": tx.now - GIVEN_OUT}
    return await tx.rows(SQL["pending_hires"], values, into=PendingHireRow)


async def standing(tx: Tx, mission: Stored[Mission]) -> str:
    """Why it is where it is, in a line: who works on it, what it waits for or how the last session on it ended, its parts."""
    work, parts = await _work(tx, mission), (await _numbers(tx, mission)).get("parts")
    told = [
        f"with {agent}" if (agent := work.get("with")) else "",
        work.get("stopped") or (f"{', '.join(workers)} at work" if (workers := work.get("works_on_it")) else ""),
        f"waits for {'; '.join(waits)}" if (waits := work.get("waits_for")) else "",
        f"parts: {parts[0]}" if parts else "",
    ]
    return "; ".join(filter(None, told))


async def _work(tx: Tx, mission: Stored[Mission]) -> MissionWork:
    """Who works on it, and what it waits for."""
    if mission.status in OVER:
        return {}
    assignee = (await parties(tx, mission.id)).assignee
    agent = (await tx.get(assignee)).slug if assignee else None
    rows = await tx.rows(SQL["who_works"], {"mission": str(mission.id), "agent": agent}, into=WhoWorksRow)
    live = [row for row in rows if row.live]
    hires = await pending_hires(tx, mission) if mission.status == "backlog" else []
    waits = [f"the yes to {each.slug}" for each in hires] or ([need] if (need := needs(mission)) else [])
    waits += [f"{link.other_slug}, which has to be finished first" for link in await waits_on(tx, mission)]
    waits += [await _thing(tx, thing) for row in live for thing in row.waits]
    stopped = agent is not None and not live and not waits
    ended = f": {rows[0].ended}" if rows and rows[0].ended else ""
    return {
        "with": agent or "nobody",
        "works_on_it": [f"{row.agent} ({row.state})" for row in live],
        "waits_for": waits,
        "stopped": f"nobody works on it; the last session of {agent} ended{ended}" if stopped and rows else None,
    }


async def _thing(tx: Tx, thing: str) -> str:
    """In words: whom or what, since when, and of a question how it begins."""
    noun, _, id = thing.partition(":")
    if noun == "message" and (asked := await tx.one(SQL["asked_of"], {"id": id}, into=AskedOfRow)) is not None:
        tx.taint |= set(asked.taint)
        return (
            f"{asked.whom}'s answer to {quoted(shortened(asked.body, WORDS))}, since {_when(asked.at)} (message {id})"
        )
    known = await tx.look_up(id)
    if known is None:
        return f"{noun} {id}"
    if not isinstance(known.props, Ask):
        return f"{noun} {known.slug}"
    tx.taint |= known.taint
    to = next((link.other_slug for link in await tx.links(known, edge="addressed_to")), "the founder")
    return (
        f"{to}'s word on {quoted(shortened(known.title, WORDS))}, since {_when(known.created_at)} ({noun} {known.slug})"
    )


def _when(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


async def _numbers(tx: Tx, mission: Stored[Mission]) -> MissionNumbers:
    found = await rolled_up(tx, str(mission.id))
    tx.target = mission
    cost = spent_text(
        found.cost_usd, found.tokens, cached=found.cached, unpriced=found.unpriced, estimated=found.estimated
    )
    left = f"{found.tokens_left:,} tokens" if found.tokens_left is not None else None
    usd = money(found.usd_left) if found.usd_left is not None else None
    if usd and found.unpriced:
        usd += ", of which calls without a price take nothing"
    parts = [_part(each) for each in found.items[1 : NAMED + 1]]
    return {
        "parts": [found.progress, *parts] if parts else None,
        "cost": cost,
        "left": ", ".join(filter(None, (left, usd))) or None,
        "evidence": [_evidence(each) for each in found.evidence],
    }


def _evidence(each: EvidenceShown) -> EvidenceTold:
    return cast("EvidenceTold", {key: value for key, value in each.items() if value})


def _part(each: MissionPart) -> str:
    """How a part stands, and what came of it."""
    came = f": {quoted(each['outcome'][:OUTCOME])}" if each["outcome"] else ""
    return f"{each['slug']}: {each['status']}{came}"


async def _files(tx: Tx, mission: Stored[Mission]) -> MissionFilesTold:
    found = await output_of(tx, mission)
    if found is None:
        return {}
    workspace = found.workspace
    waiting = await unmerged_files(tx, workspace) if workspace and mission.status not in OVER else []
    if workspace and waiting:
        tx.taint.add(f"workspace:{workspace.slug}")  # programs and strangers' code name them
    told: MissionFilesTold = {"files_not_merged_yet": waiting[:NAMED]}
    if not found.is_there:
        return told
    if found.parts:
        told["opens"] = (
            f"what its parts made: `mission files {mission.slug}` lists it; the founder opens it by the card's Open"
        )
        return told
    opens = await in_thread(look, company(tx).blobs, found.snapshot, mission.props.start_with)
    how = {"app": f"an app, started with {opens.command}", "page": "a page", "document": f"the document {opens.path}"}
    what = how.get(opens.sort, f"files{f'; {opens.why}' if opens.why else ''}")
    told["opens"] = f"{what}; the founder opens it by the card's Open or `hq mission open {mission.slug}`"
    return told


VERBS = (show,)
