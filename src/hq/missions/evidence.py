"""`hq mission submit|check|sign_off`: a mission closes when its evidence is there, and the system looks for itself."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import Field

from hq.business.types import Deliverable
from hq.door.access import INSIDE, STAFF, Touch
from hq.door.json_shape import AsJson
from hq.door.results import Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.slugs import slugify
from hq.graph.store import NewLink
from hq.json_types import Props
from hq.minds.prompt_data import one_line
from hq.missions.brief_decisions import DecisionProof, checks_for, keep_seen, with_proofs
from hq.missions.checks import AddressProbe, Check, CheckContext, CheckedItem, CheckFinding, checks_of
from hq.missions.completion import end, follow
from hq.missions.delivery import delivery
from hq.missions.escalation.trigger import after_failures
from hq.missions.notes import remember
from hq.missions.notice import tell
from hq.missions.parties import Parties, check_open, check_taken, parties
from hq.missions.progress import evidence_of, open_parts
from hq.missions.suspension import send_back
from hq.missions.types import Mission
from hq.missions.work_start import workspace_of
from hq.org.agent import Agent
from hq.sandbox import Sandbox
from hq.workspace.directories import EMPTY, Workspaces
from hq.workspace.own_tree import unmerged
from hq.workspace.program_run import ground_is_clean
from hq.workspace.types import Workspace
from hq.workspace.verbs.workspace_verbs import held, inside, locked

SOURCE = "evidence"
FORMS = {"file": "document", "changed": "document", "command": "command", "url": "url", "person": "word"}


class MissionCheckArgs(Args):
    """Which mission."""

    ref: Ref = first()
    """Slug of the mission."""


class MissionSubmitArgs(MissionCheckArgs):
    """What came out."""

    outcome: str = Field(min_length=1, max_length=10_000)
    """What came out, in a few sentences."""
    lessons: str | None = Field(None, max_length=4000)
    """What to do differently next time, for the whole company."""
    start: str | None = Field(None, max_length=500)
    """The command that starts it, left out where the files tell. Such as `python3 app.py`: it listens on the port in PORT and keeps
    its data in the directory DATA_DIR."""
    decisions: list[DecisionProof] = Field(default_factory=list, max_length=20)
    """Of what was decided half-way, what shows that it was kept to; the system looks at it like at a deliverable."""


class EvidenceChecked(Result):
    slug: str
    id: str
    status: str
    """Where the mission stands with this evidence."""
    says: str
    evidence: AsJson[list[CheckedItem]] = Field(default_factory=list)
    """What was found for each deliverable."""
    ends: str | None = None
    """That the mission is done: a session on it has nothing left to do."""


@dataclass(frozen=True)
class DueCheck:
    """What is to be checked, and on what."""

    mission: Stored[Mission]
    checks: list[Check]
    signed: frozenset[str]
    """What a person has accepted already."""
    ground: CheckContext
    closing: bool
    took: str = ""
    """What was taken over from the working tree of who hands in."""


async def _ground(tx: Tx, mission: Stored[Mission], *, closing: bool) -> CheckContext:
    """What was handed in, and before that what whoever looks would hand in."""
    workspace = await workspace_of(tx, mission)
    lying = await unmerged(tx, workspace) if workspace and not closing else None
    looked_at = lying or (held(workspace) if workspace else EMPTY)
    files = tx.use(Workspaces).company(tx.caller.tenant_id)
    clean = workspace is not None and await ground_is_clean(tx, workspace, looked_at)
    began = mission.props.began_with or EMPTY
    return CheckContext(workspace, looked_at, began, files, tx.use(Sandbox), tx.use(AddressProbe), clean)


async def _due(tx: Tx, mission: Stored[Mission], *, closing: bool, took: str = "") -> DueCheck:
    found = await evidence_of(tx, mission)
    signed = frozenset(text for text, each in found.items() if each.props.kind == "word" and each.status == "accepted")
    checks = checks_of(mission.props.deliverables)
    checks += checks_for(mission.props.decided, checks)
    return DueCheck(mission, checks, signed, await _ground(tx, mission, closing=closing), closing, took)


async def _handed_in(tx: Tx, args: MissionSubmitArgs) -> DueCheck:
    who = await parties(tx, args.ref)
    check_open(who)
    check_taken(who)
    if who.mission.status not in ("in_progress", "review"):
        raise Refused.conflict(
            f"{who.mission.slug} is {who.mission.status}; what was not begun cannot be handed in",
            hint=_first(who.mission),
        )
    if parts := await open_parts(tx, who.mission):
        raise Refused.conflict(
            f"{', '.join(parts[:5])}{' and others' if len(parts) > 5 else ''} are still open",
            hint="`hq mission wait` waits for them; a part that is no longer wanted is failed",
        )
    said: Props = {"outcome_summary": args.outcome} | ({"lessons_learned": args.lessons} if args.lessons else {})
    if args.decisions or any(point.overruled for point in who.mission.props.decided):
        said["decided"] = with_proofs(who.mission.props, args.decisions)
    workspace = await workspace_of(tx, who.mission)
    taken = None
    if workspace is not None and await unmerged(tx, workspace):
        if who.mission.status == "review":  # handed in anew: what was is taken back first
            await tx.move(who.mission, "in_progress")
        taken = await tx.inner("workspace.merge", {"ref": str(workspace.id)})
    mission = await tx.move(who.mission, "review", **said, **await delivery(tx, who.mission, args.start))
    await follow(tx, mission, "review")
    took = f"taken over from your working tree: {_files(taken.changes)}" if taken and taken.changes else ""
    return await _due(tx, mission, closing=True, took=took)


def _first(mission: Stored[Mission]) -> str:
    """What has to be called before it can be handed in."""
    match mission.props:
        case Mission(status="assigned"):
            return f"take it first with mission_accept: `hq mission accept {mission.slug}`"
        case Mission(status="planning", plan=[]):
            return f"state your plan first with mission_plan: `hq mission plan {mission.slug}`"
        case Mission(status="planning"):
            return "its plan waits for a yes from whoever gave it; that wakes you"
        case _:
            return f"`hq mission show {mission.slug}` says what it waits for"


def _files(many: int) -> str:
    return "1 file" if many == 1 else f"{many} files"


@verb(
    "mission.submit",
    "effect",
    shows=("lessons", "start"),
    for_=STAFF,
    touches=Touch("ref", "assignment", ceo="own", operator="own"),
    scope="write",
    emits="mission.submitted",
    target="ref",
    prepare=_handed_in,
    examples=[{"ref": "flight-tracker", "outcome": "It runs, with tests and a readme."}],
    text="{slug} is {status}: {says}",
)
async def submit(tx: Tx, args: MissionSubmitArgs) -> EvidenceChecked:
    """Hand a mission in, with what is in your working tree. The system checks every deliverable; it closes when all are there,
    and comes back when not."""
    return await _looked(tx)


async def _to_look(tx: Tx, args: MissionCheckArgs) -> DueCheck:
    who = await parties(tx, args.ref)
    check_open(who)
    return await _due(tx, who.mission, closing=False)


@verb(
    "mission.check",
    "effect",
    for_=STAFF,
    touches=Touch("ref", "party", agent="led"),
    scope="write",
    emits="mission.checked",
    target="ref",
    prepare=_to_look,
    examples=[{"ref": "flight-tracker"}],
    text="{slug} is {status}: {says}",
)
async def check(tx: Tx, args: MissionCheckArgs) -> EvidenceChecked:
    """See which deliverables of a mission are there, without handing it in."""
    return await _looked(tx)


async def _looked(tx: Tx) -> EvidenceChecked:
    due: DueCheck = tx.prepared
    tx.target = mission = due.mission
    findings = [
        CheckFinding(each.text, each.kind, True, "accepted by a person")
        if each.text in due.signed
        else await due.ground.run(each)
        for each in due.checks
    ]
    if any(finding.output and finding.outside for finding in findings):
        tx.taint.add("sandbox")
    looked_at = due.ground.snapshot if due.ground.workspace else None
    found = [each.recorded() for each in findings]
    record = {"ref": str(mission.id), "closing": due.closing, "findings": found, "looked_at": looked_at}
    tx.follow_ups.append(inside(tx, "mission.record", record))
    status, says = _verdict(findings, mission, closing=due.closing)
    says = "; ".join(filter(None, (says, due.took)))
    return EvidenceChecked(
        slug=mission.slug,
        id=str(mission.id),
        status=status,
        says=says,
        ends=f"{mission.slug} is done" if due.closing and status == "done" else None,
        evidence=[_item(each) for each in findings],
    )


def _item(found: CheckFinding) -> CheckedItem:
    item: CheckedItem = {"deliverable": found.check, "passed": found.passed, "seen": found.seen}
    return {**item, "output": found.output} if found.output else item


def _verdict(findings: list[CheckFinding], mission: Stored[Mission], *, closing: bool) -> tuple[str, str]:
    missing = [each.check for each in findings if each.passed is False]
    waiting = [each.check for each in findings if each.passed is None]
    if not closing:
        there = len(findings) - len(missing) - len(waiting)
        return mission.status or "", f"{there} of {len(findings)} are there"
    if missing:
        return "in_progress", f"not there: {', '.join(missing)}"
    if waiting:
        return "review", f"waits for a person to accept: {', '.join(waiting)}"
    return "done", "all the evidence is there"


class CheckOutcomeArgs(Args):
    """What one check came to."""

    check: str
    """The deliverable, as the mission names it."""
    kind: Literal["file", "changed", "command", "url", "person"]
    """How it was looked at."""
    passed: bool | None
    """Whether it is there; nothing while a person has to say."""
    seen: str = ""
    """What was seen."""
    sha256: str | None = None
    """Hash of a file."""


class MissionRecordArgs(Args):
    """What the checks of one mission came to."""

    ref: Ref = first()
    """Id of the mission."""
    findings: list[CheckOutcomeArgs]
    """One for each deliverable."""
    closing: bool
    """Whether it was handed in."""
    looked_at: str | None = None
    """The snapshot of its files that was looked at; nothing where it has none."""


@verb("mission.record", "write", for_=INSIDE, internal=True, target="ref", emits="mission.evidence")
async def record(tx: Tx, args: MissionRecordArgs) -> Row:
    """Keep what the system found, and close the mission, send it back, or lay it before a person."""
    if (workspace := await workspace_of(tx, (await parties(tx, args.ref)).mission)) is not None:
        workspace = await locked(tx, workspace)
    who = await parties(tx, args.ref)
    mission = who.mission
    for found in args.findings:
        await keep(tx, mission, found)
    mission = await keep_seen(tx, mission, {each.check: (each.passed, each.seen) for each in args.findings})
    who = replace(who, mission=mission)
    if not args.closing or mission.status != "review":
        return row(mission)
    if workspace is not None and args.looked_at not in (None, held(workspace)):
        return row(await _changed_since(tx, who, workspace))
    if missing := [each for each in args.findings if each.passed is False]:
        return row(await _not_there(tx, who, [f"{each.check} ({each.seen})" for each in missing]))
    if waiting := [each.check for each in args.findings if each.passed is None]:
        word = one_line(f"{mission.slug} ({mission.props.title}) was handed in: {mission.props.outcome_summary}")
        text = f"{word}\nIt waits for you to accept: {one_line(', '.join(waiting))}. Say so with mission_sign_off."
        await tell(
            tx, who.commander, mission, f"{mission.slug} waits for your sign-off", text, who.parent or mission.id
        )
        return row(mission)
    return row(await end(tx, who, "done"))


async def _not_there(tx: Tx, who: Parties, missing: list[str]) -> Stored[Mission]:
    """Back to work. The third time, somebody above hears of it."""
    mission = await tx.move(
        who.mission,
        "in_progress",
        failed_checks=who.mission.props.failed_checks + 1,
        status_reason=f"not there: {', '.join(missing)}"[:2000],
    )
    await follow(tx, mission, "in_progress")
    tx.target = mission
    await after_failures(tx, who, mission)
    return mission


async def _changed_since(tx: Tx, who: Parties, workspace: Stored[Workspace]) -> Stored[Mission]:
    """What was found is of other files than are there now; nobody has failed, and whoever handed it in does so again."""
    why = f"{workspace.slug} was changed while it was looked at"
    mission = await tx.move(who.mission, "in_progress", status_reason=why)
    await follow(tx, mission, "in_progress")
    if who.assignee is not None:
        note = f"{why}: see what is there now, then hand it in again with mission_submit."
        await send_back(tx, mission, await tx.get(who.assignee, Agent), note)
    tx.target = mission
    return mission


async def keep(tx: Tx, mission: Stored[Mission], found: CheckOutcomeArgs) -> None:
    """The record of one deliverable: made when it was first looked at, changed whenever it is looked at again."""
    key = f"{mission.id}/{hashlib.sha256(found.check.encode()).hexdigest()[:16]}"
    status = {True: "accepted", False: "rejected", None: "shipped"}[found.passed]
    known = (await evidence_of(tx, mission)).get(found.check)
    what = found.check.partition(":")[2] if found.kind != "person" else None
    seen = {"seen": found.seen, "shipped_at": tx.now.isoformat(), "sha256": found.sha256}
    if known is not None:
        if known.props.status == "accepted" and status == "shipped":
            return  # a person has said yes; looking again takes nothing back
        await tx.change(known, {**seen, "status": status})
        return
    await tx.create(
        Deliverable(
            title=found.check,
            kind=FORMS[found.kind],  # type: ignore[arg-type]
            status=status,  # type: ignore[arg-type]
            check=found.check,
            path=what if found.kind == "file" else None,
            url=what if found.kind == "url" else None,
            seen=found.seen,
            sha256=found.sha256,
            shipped_at=tx.now,
        ),
        links=[NewLink("fulfilled_by", mission, inward=True)],
        # By its mission: the same words in many missions would make whoever hands in wait for the others to find a name.
        slug=slugify(f"{mission.slug} {found.check}", 60),
        external=(SOURCE, key),
    )


class MissionSignOffArgs(MissionCheckArgs):
    """What is accepted, or not."""

    deliverable: str | None = Field(None, max_length=500)
    """Which one, as the mission names it; left out, all that wait for a person."""
    decision: Literal["yes", "no"] = "yes"
    """Whether it is accepted."""
    note: str | None = Field(None, max_length=4000)
    """What the agent should know; needed for a no."""


@verb(
    "mission.sign_off",
    "write",
    shows=("deliverable", "decision", "note"),
    on_card=True,
    for_=STAFF,
    touches=Touch("ref", "mission", operator="own", bars=True),
    emits="mission.signed_off",
    target="ref",
    examples=[{"ref": "flight-tracker"}],
)
async def sign_off(tx: Tx, args: MissionSignOffArgs) -> Row:
    """Accept what a person has to accept, by who gave the mission; with the rest of the evidence there it closes."""
    who = await parties(tx, args.ref)
    mission = who.mission
    if mission.status != "review":
        raise Refused.conflict(f"{mission.slug} is {mission.status}; only what was handed in is signed off")
    if args.decision == "no" and not args.note:
        raise Refused.invalid("say with --note what is missing")
    found = await evidence_of(tx, mission)
    open_ = [
        each.text
        for each in checks_of(mission.props.deliverables)
        if each.kind == "person" and not _signed(found, each)
    ]
    chosen = [args.deliverable] if args.deliverable else open_
    if unknown := [each for each in chosen if each not in open_]:
        raise Refused.invalid(f"{unknown[0]!r} does not wait for a person; {', '.join(open_) or 'nothing'} does")
    says = f"{args.decision}, {tx.caller.actor}" + (f": {args.note}" if args.note else "")
    for text in chosen:
        await keep(tx, mission, CheckOutcomeArgs(check=text, kind="person", passed=args.decision == "yes", seen=says))
    if args.decision == "no":
        return row(await _sent_back(tx, who, args.note or ""))
    found = await evidence_of(tx, mission)
    if all(_signed(found, each) for each in checks_of(mission.props.deliverables)):
        mission = await end(tx, who, "done")
    tx.target = mission
    return row(mission)


def _signed(found: dict[str, Stored[Deliverable]], each: Check) -> bool:
    return each.text in found and found[each.text].status == "accepted"


async def _sent_back(tx: Tx, who: Parties, note: str) -> Stored[Mission]:
    mission = await _not_there(tx, who, [note])
    await remember(tx, mission, f"Not accepted: {note}", "blocker")
    if who.assignee is not None:
        await send_back(tx, mission, await tx.get(who.assignee, Agent), f"It was not accepted: {note}")
    return mission


VERBS = (submit, check, record, sign_off)
