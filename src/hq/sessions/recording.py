"""A recording of how minds behaved: what was said to each and what it answered and called, session by session, as the journals
have it, without secrets. It is replayed through the real loop, to see which call no longer fits."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NotRequired, TypedDict
from uuid import UUID

from hq.database.queries import beside
from hq.door.access import FOUNDER
from hq.door.actor import principal_of
from hq.door.tx import Tx
from hq.door.verb import Args, MomentText, Result, first, verb
from hq.engine.sessions.steps import HeardNote, MindStep, OpenStep, SettledNote, VerbStep, WaitStep, WakeStep, read_step
from hq.errors import Refused
from hq.graph.moment import parse_moment
from hq.guard.vault import fetch, secret_names
from hq.ids import is_id, parse_id
from hq.json_types import CallArgs
from hq.logs import redact
from hq.sessions.rows import RecordedStepRow

SQL = beside(__file__)
MANY = 5_000
"""Steps of one recording."""
SHORT = 6
"""Characters from which on a secret is taken out wherever it stands: shorter ones stand in every text."""


class MindRecordArgs(Args):
    """What to record: the past is there, so nothing has to be switched on before."""

    session: str | None = first(default=None, max_length=200)
    """Only this session, or only those of this agent; left out, all of them."""
    since: MomentText = "1d"
    """From when on: a moment, or 2h for the last two hours."""


class MindRecorded(Result):
    sessions: int
    answers: int
    document: str
    """The recording, as JSON."""


@verb(
    "mind.record",
    "read",
    for_=FOUNDER,
    scope="founder",
    past=False,
    examples=[{}, {"session": "chief", "since": "2h"}],
    text=".document",
)
async def record(tx: Tx, args: MindRecordArgs) -> MindRecorded:
    """What minds were told and what they answered and called, scrubbed of secrets, as a document to keep and to replay."""
    one = parse_id(args.session) if args.session and is_id(args.session) else None
    about = {
        "session": one,
        "agent": args.session if args.session and one is None else None,
        "since": parse_moment(args.since, tx.now),
        "limit": MANY + 1,
    }
    rows = await tx.rows(SQL["recorded"], about, into=RecordedStepRow)
    if len(rows) > MANY:
        raise Refused.invalid(f"that is more than {MANY:,} steps; say a session, or a later --since")
    found = [kept for session in _by_session(rows) if (kept := _recorded(session)).replies]
    document = json.dumps({"recording": 1, "sessions": [asdict(each) for each in found]}, ensure_ascii=False, indent=1)
    return MindRecorded(
        sessions=len(found), answers=sum(each.replies for each in found), document=await _scrubbed(tx, document)
    )


async def _scrubbed(tx: Tx, document: str) -> str:
    """Without what looks like a secret, and without what the vault knows to be one."""
    clean = json.dumps(redact(json.loads(document)), ensure_ascii=False, indent=1)
    for name in await secret_names(tx):
        secret = await fetch(tx, name)
        if secret and len(secret.plain) >= SHORT:
            clean = clean.replace(json.dumps(secret.plain, ensure_ascii=False)[1:-1], "…")
    return clean


class RecordedCall(TypedDict):
    """A tool that was called, and why not where it was refused."""

    tool: str
    args: CallArgs | str
    refused: NotRequired[str]


class RecordedTurn(TypedDict, total=False):
    """What was said to a mind, or what it answered."""

    said: str
    by: list[str]
    """Who said it, where that was not the founder."""
    model: str | None
    tokens: list[int]
    text: str
    calls: list[RecordedCall]
    ended: str


@dataclass(frozen=True)
class RecordedSession:
    """What one session heard and answered, in order."""

    agent: str
    kind: str
    woken_by: str
    turns: list[RecordedTurn]

    @property
    def replies(self) -> int:
        return sum("said" not in turn for turn in self.turns)


def _by_session(rows: Sequence[RecordedStepRow]) -> list[list[RecordedStepRow]]:
    """In the order in which they began to answer."""
    found: dict[UUID, list[RecordedStepRow]] = {}
    for row in rows:
        found.setdefault(row.session_id, []).append(row)
    return list(found.values())


def _recorded(rows: Sequence[RecordedStepRow]) -> RecordedSession:
    turns: list[RecordedTurn] = []
    calls: dict[str, RecordedCall] = {}
    for row in rows:
        match step := read_step(row.kind, row.payload):
            case OpenStep():
                turns.append({"said": row.trigger.text or step.prompt[:2000]})
            case WakeStep():
                turns.append(_heard("\n\n".join(step.said) or step.prompt, step.senders))
            case HeardNote() if step.heard:
                turns.append(_heard(step.heard, step.senders))
            case MindStep():
                turns.append(_reply(step, calls))
            case VerbStep() if step.call in calls and not step.ok:
                calls[step.call]["refused"] = str((step.error or {}).get("message", ""))[:300]
            case SettledNote() if step.settled in calls and step.ok:
                calls[step.settled].pop("refused", None)
            case WaitStep() if step.declined:
                turns.append({"ended": "content_filter"})
            case _:
                pass
    return RecordedSession(rows[0].agent, rows[0].session_kind, rows[0].trigger_kind, turns)


def _heard(said: str, senders: Sequence[str]) -> RecordedTurn:
    founders = not senders or any(principal_of(each)[0] == "founder" for each in senders)
    return {"said": said} if founders else {"said": said, "by": list(senders)}


def _reply(step: MindStep, calls: dict[str, RecordedCall]) -> RecordedTurn:
    """An answer; each of its calls is found again by its id when it comes back."""
    from hq.sessions.kept_reply import read_response  # a model's library, which few calls need

    response = read_response(step.response)
    told: RecordedTurn = {"model": step.model, "tokens": [step.tokens_in, step.tokens_out]}
    if step.texts:
        told["text"] = "\n".join(step.texts)
    made = [part for part in response.parts if part.part_kind == "tool-call"]
    for part in made:
        calls[part.tool_call_id] = {"tool": part.tool_name, "args": _given(part)}
    if made:
        told["calls"] = [calls[part.tool_call_id] for part in made]
    if response.finish_reason not in (None, "stop", "tool_call"):
        told["ended"] = response.finish_reason
    return told


def _given(part: Any) -> CallArgs | str:
    """Mistakes are kept as they were made."""
    from hq.sessions.loop.door import arguments

    try:
        return arguments(part)
    except Refused:
        return str(part.args)


VERBS = (record,)
