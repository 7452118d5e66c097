"""`hq code review`: a coding program reads what is in a workspace and reports what it finds. It can change nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Literal, NotRequired, TypedDict
from uuid import uuid4

from pydantic import BaseModel, Field, ValidationError

from hq.coding.adapters import adapter
from hq.coding.results import CodeExecuted
from hq.coding.run import CodingTurn, call, carry_out
from hq.coding.verbs import Cli, PreparedRun, find_workspace, mission_of
from hq.door.access import CREW, Touch
from hq.door.json_shape import AsJson
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, first, verb
from hq.graph.records import Stored
from hq.ids import new_id
from hq.minds.prompt_data import one_line
from hq.workspace.lineage import mission_at_work
from hq.workspace.snapshots.blobs import Blobs
from hq.workspace.snapshots.entries import walk
from hq.workspace.snapshots.threads import in_thread
from hq.workspace.types import Workspace
from hq.workspace.verbs.workspace_verbs import company, held

ASKED = """Review the code in /mission{focus}. Read what matters; change nothing.

Answer with nothing but a JSON array, one object for each finding, the gravest first:
[{{"severity": "critical|high|medium|low|info", "file": "path within /mission", "line": 1, "message": "what is wrong",
"suggestion": "what to do"}}]
An empty array means that there is nothing to say."""
DECIDED = "These were decided for it; where the code does not keep to one, that is a finding of severity high:"
LARGEST = 1 << 20
MOST = 500


class ReviewFinding(BaseModel):
    """Something a review found."""

    severity: Literal["critical", "high", "medium", "low", "info"]
    file: str
    line: int | None = None
    message: str
    suggestion: str = ""


class CodeReviewArgs(Args):
    """What to look at."""

    workspace: Ref = first()
    """Where: the workspace's slug, or the path of its directory."""
    focus: str | None = Field(None, max_length=2000)
    """What to look for, such as security, performance or architecture."""
    timeout_minutes: float = Field(15, gt=0, le=240)
    """How long the program may run."""
    token_budget: int = Field(50_000, ge=1, le=100_000_000)
    """Tokens it may use."""
    model: str | None = Field(None, max_length=200)
    """Model of the company's own mind to use; left out, the one it has for this."""
    cli: Cli | None = None
    """The coding program; left out, Claude's where it is installed, else hq's own."""


class FindingItem(TypedDict):
    """Something that is not as it should be, and where."""

    severity: str
    file: str
    line: NotRequired[int]
    message: str
    suggestion: str


class Reviewed(CodeExecuted):
    findings: AsJson[list[FindingItem]] = Field(default_factory=list)
    """Each with severity, file, line, message and suggestion; only such as point to something that is there."""
    unfounded: int = 0
    """How many pointed to a file or line that does not exist, and were left out."""


async def _to_review(tx: Tx, args: CodeReviewArgs) -> PreparedRun:
    workspace = await find_workspace(tx, args.workspace)
    prompt = ASKED.format(focus=f" with a focus on {args.focus}" if args.focus else "")
    prompt += await _decided(tx, workspace)
    props = {
        "title": f"Review{f': {args.focus}' if args.focus else ''}"[:120],
        "prompt": prompt,
        "kind": "review",
        "mode": "plan_only",
        "cli": adapter(args.cli).name,
        "model": args.model,
        "session": f"review-{new_id().hex[-8:]}",
        "conversation": str(uuid4()),
        "token_budget": args.token_budget,
        "timeout_minutes": args.timeout_minutes,
        "merges": False,
    }
    return PreparedRun(workspace, CodingTurn(props, prompt=prompt, mission=await mission_of(tx, workspace)))


async def _decided(tx: Tx, workspace: Stored[Workspace]) -> str:
    """What was decided half-way is looked for too."""
    mission = await mission_at_work(tx, workspace)
    points = getattr(mission.props, "decided", ()) if mission else ()
    lines = [f"- {one_line(point.line)}" for point in points]
    return "\n\n" + DECIDED + "\n" + "\n".join(lines) if lines else ""


@verb(
    "code.review",
    "effect",
    for_=CREW,
    touches=Touch("workspace", "tree", agent="mission", ceo="mission", project="own"),
    emits="code.reviewed",
    target="workspace",
    prepare=_to_review,
    examples=[{"workspace": "app1", "focus": "security", "cli": "chat"}],
    text="hq.coding.coding_text:reviewed",
)
async def review(tx: Tx, args: CodeReviewArgs) -> Reviewed:
    """Let a coding program review what is in a workspace."""
    ready: PreparedRun = tx.prepared
    done = await carry_out(tx, ready.workspace, ready.turn)
    await call(tx, "workspace.drop", ref=str(ready.workspace.id), session=done.session)
    found = parse_findings(done.stdout)
    if done.status == "done" and found is None:
        failed = {"status": "failed", "why": "it did not answer in the form that was asked for"}
        done = done.model_copy(update=failed)
        await call(tx, "code.settle", run=done.run, props=failed)
    lines = await in_thread(_lines, company(tx).blobs, held(ready.workspace)) if found else {}
    founded = [each for each in found or [] if _is_there(each, lines)]
    return Reviewed(
        **done.model_dump(),
        findings=[FindingItem(**each.model_dump(exclude_none=True)) for each in founded[:MOST]],
        unfounded=len(found or []) - len(founded),
    )


def parse_findings(text: str) -> list[ReviewFinding] | None:
    """The array in an answer, also with words or a fence around it; nothing where there is none that fits."""
    for start in (at for at, letter in enumerate(text) if letter == "["):
        try:
            found, _ = json.JSONDecoder().raw_decode(text, start)
            return [ReviewFinding.model_validate(each) for each in found]
        except (ValueError, ValidationError):
            continue
    return None


def _is_there(finding: ReviewFinding, lines: dict[str, int]) -> bool:
    finding.file = finding.file.removeprefix("/mission/").removeprefix("./")
    most = lines.get(finding.file)
    return most is not None and (finding.line is None or 1 <= finding.line <= max(1, most))


def _lines(blobs: Blobs, snapshot: str) -> dict[str, int]:
    """How many lines each file has. In a large file any line is believed."""
    return dict(_counted(blobs, snapshot))


def _counted(blobs: Blobs, snapshot: str) -> Iterator[tuple[str, int]]:
    for path, entry in walk(blobs, snapshot):
        if entry.kind in ("file", "program"):
            yield path, blobs.read(entry.hash).count(b"\n") + 1 if entry.size <= LARGEST else 1 << 62


VERBS = (review,)
