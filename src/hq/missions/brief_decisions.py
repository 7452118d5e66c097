"""Decisions given half-way: the brief holds the agent to them, and the evidence looks for them in the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field

from hq.door.tx import Tx
from hq.errors import Refused
from hq.graph.records import Stored
from hq.json_types import ModelJson
from hq.missions.checks import Check, read_check
from hq.missions.completion import brief_of
from hq.missions.life import HANDED_IN
from hq.missions.types import DecidedPoint, Mission


class DecisionProof(BaseModel):
    """What shows that a decision was kept to."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    decision: str = Field(min_length=1, max_length=500)
    """Which one: its question or its answer, as the brief says it."""
    answer: str | None = Field(None, max_length=500)
    """What counts in its place from now on, where what was asked for says otherwise: in just these words of it."""
    check: str = Field(min_length=1, max_length=500)
    """What shows it, as a deliverable is written: `command:python3 -m unittest -k decided`, `file:…`, `url:…`."""


async def hold_to(tx: Tx, mission: Stored[Mission], question: str, answer: str, by: str) -> Stored[Mission]:
    """From now on the mission is worked on, and looked at, by this. A question that is answered anew counts as answered last;
    what was handed in before goes by the answer it was made with."""
    before = mission.props.decided
    was = next((p.overruled or p.answer for p in before if p.question == question), None)
    overruled = was if mission.status in HANDED_IN and was != answer else None
    point = DecidedPoint(question=question, answer=answer, by=by, overruled=overruled)
    mission = await tx.change(mission, {"decided": _told([*(p for p in before if p.question != question), point])})
    brief = await brief_of(tx, mission)
    if brief is not None and brief.status in ("assigned", "in_progress", "blocked"):
        limits = brief.props.constraints
        gone = {each.line for each in before if each.question == question}
        other = [*(line for line in limits.other if line not in gone), point.line]
        await tx.change(brief, {"constraints": limits.model_copy(update={"other": other}).model_dump(mode="json")})
    return mission


def with_proofs(mission: Mission, proofs: Sequence[DecisionProof]) -> list[ModelJson]:
    """The decisions with what is said to show them. One that was taken over from before is among them from now on."""
    points = [point.model_copy(update={"overruled": None}) for point in mission.decided]  # it goes by what holds now
    for proof in proofs:
        if read_check(proof.check).kind == "person":
            raise Refused.invalid(
                f"{proof.check!r} shows nothing by itself; a check is command:…, file:… or url:…, as in "
                "command:python3 -m unittest -k decided"
            )
        if proof.answer and _plain(proof.answer) not in _plain(mission.description or mission.title):
            raise Refused.invalid(f"{proof.answer!r} are no words of what was asked for, so they overrule nothing")
        at = next((at for at, point in enumerate(points) if _means(proof.decision, point)), None)
        if at is None:
            points.append(DecidedPoint(question=proof.decision, answer=proof.decision, by="before", check=proof.check))
        else:
            anew = {"answer": proof.answer, "by": "what was asked for since"} if proof.answer else {}
            points[at] = points[at].model_copy(update={"check": proof.check, "passed": None, "seen": None, **anew})
    return _told(points)


def _means(said: str, point: DecidedPoint) -> bool:
    said = _plain(said)
    return any(said and (said in _plain(each) or _plain(each) in said) for each in (point.question, point.answer))


def _plain(text: str) -> str:
    return " ".join(text.lower().split()).strip(" .?!:")


def checks_for(points: Sequence[DecidedPoint], known: Sequence[Check]) -> list[Check]:
    """What has to be looked at beside the deliverables."""
    there = {each.text for each in known}
    wanted = dict.fromkeys(point.check for point in points if point.check and point.check not in there)
    return [read_check(text) for text in wanted]


async def keep_seen(tx: Tx, mission: Stored[Mission], seen: Mapping[str, tuple[bool | None, str]]) -> Stored[Mission]:
    """What was seen of each decision: by its check, whether it passed and what that was."""
    if not any(point.check in seen for point in mission.props.decided):
        return mission
    points = [_looked_at(point, seen) for point in mission.props.decided]
    return await tx.change(mission, {"decided": _told(points)})


def _looked_at(point: DecidedPoint, seen: Mapping[str, tuple[bool | None, str]]) -> DecidedPoint:
    passed, says = seen.get(point.check or "", (point.passed, point.seen))
    return point.model_copy(update={"passed": passed, "seen": says})


def _told(points: Sequence[DecidedPoint]) -> list[ModelJson]:
    return [point.model_dump(mode="json", exclude_none=True) for point in points]
