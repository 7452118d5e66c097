"""Steps of a journal: what each kind of them says, one model a kind. A note is known by what it notes.

Journals are kept for ever, so steps of earlier releases are read too: what they lack has its default, what is not known any
more is passed over. Written is what was said, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal, TypedDict, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from hq.door.json_shape import AsJson
from hq.engine.sessions.reply import CallPart, KeptReply
from hq.errors import ErrorDetail
from hq.json_types import CallArgs, ModelJson, StepJson, WireBody

Kind = Literal["open", "mind", "verb", "wait", "wake", "note", "close"]
Several = Annotated[list[str], BeforeValidator(lambda given: [given] if isinstance(given, str) else given)]
"""Some of them, or one by itself as it was written once."""


@dataclass(frozen=True)
class SessionWait:
    """What a session lies down for."""

    things: Sequence[str] = ()
    """Each as `noun:id`; an event of that noun with that id ends the wait."""
    topics: Sequence[str] = ()
    """Only these events do; none means any."""
    since: int | None = 0
    """The call after which such an event counts; none: from now on."""
    until: datetime | None = None
    """When it goes on without any."""


class JournalModel(BaseModel):
    """Something that a journal keeps as JSON."""

    model_config = ConfigDict(frozen=True, populate_by_name=True, defer_build=True)

    def as_json(self) -> ModelJson:
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)


class RunRequest(JournalModel):
    """Somebody waits for what comes of a message in a thread."""

    id: int
    timeout: int | None = None
    """Seconds it may take."""
    notify: bool = False
    """Whoever asked wants to hear of its end."""
    mention: str | None = None
    """Into whose conversation its words are to be put."""
    verbosity: Literal["concise", "normal", "detailed"] = "normal"
    """How long the answer should be."""
    previous: list[str] = []
    """What was said before it, elsewhere: each as `user: …` or `assistant: …`."""
    conversation: str | None = None
    """Where that was."""


class StepPayload(JournalModel):
    """What a step says."""

    kind: ClassVar[Kind]
    taint: list[str] = []
    """Where what it brought came from."""

    def as_json(self) -> StepJson:
        """All that was said, also where it is nothing: a branch may say something else there."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


class OpenStep(StepPayload):
    """A session begins."""

    kind: ClassVar[Kind] = "open"
    config: ModelJson = {}
    """Its agent's, as it was then."""
    prompt: str = ""
    past: list[WireBody] = []
    """What was said before it began, as pydantic-ai writes messages: all that a program sent which asks for a completion."""


class WakeStep(StepPayload):
    """A thread is spoken to again."""

    kind: ClassVar[Kind] = "wake"
    prompt: str
    said: list[str] = []
    """Message by message, where it was more than one."""
    senders: Several = Field(default=[], validation_alias="from", serialization_alias="from")
    runs: list[RunRequest] = []
    quiet: bool = False
    """The house has taken all of it for answers and done what follows: it is told with what comes next."""


class MindStep(StepPayload):
    """A mind's reply."""

    kind: ClassVar[Kind] = "mind"
    response: AsJson[KeptReply]
    """As pydantic-ai writes it."""
    model: str | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_counted: int | None = None
    """What came from a provider's cache by its price."""
    cost_usd: str | None = None
    latency_ms: float | None = None
    chosen: ModelJson | None = None
    """Which tier, and why."""

    @property
    def texts(self) -> list[str]:
        return [part["content"] for part in self.response["parts"] if part["part_kind"] == "text"]

    @property
    def calls(self) -> list[CallPart]:
        return [part for part in self.response["parts"] if part["part_kind"] == "tool-call"]


class CallTold(TypedDict, total=False):
    """What came back from a call, as its mind is told."""

    ok: bool
    data: Any
    error: ErrorDetail | None


class CallReturned(StepPayload):
    """What came back from a call."""

    ok: bool
    data: Any = None
    error: AsJson[ErrorDetail | None] = None

    @property
    def result(self) -> CallTold:
        """As its mind is told."""
        return cast(
            "CallTold", {name: getattr(self, name) for name in ("ok", "data", "error") if name in self.model_fields_set}
        )


class VerbStep(CallReturned):
    """The outcome of a call. The door writes most of them, in the transaction of the call."""

    kind: ClassVar[Kind] = "verb"
    call: str
    verb: str | None = None
    waits: SessionWait | None = None
    """What it waits for while the talk goes on; what comes of it is a note."""


class WaitStep(StepPayload):
    """A session lies down."""

    kind: ClassVar[Kind] = "wait"
    call: str | None = None
    things: Several = Field(default=[], validation_alias="for", serialization_alias="for")
    budget: str | None = None
    busy: str | None = None
    down: str | None = None
    paused: str | None = None
    """By whom, where whom it acts for was paused."""
    rests: bool = False
    """It has said what it had to say."""
    answers: list[int] | None = None
    """The runs that it answered thereby; unknown in what was written before this was."""
    spoken: str | None = None
    """What it said last, of work that took something up while a call waited, and waits on."""
    quiet_at: str | None = None
    """When nobody will have spoken for a while."""
    timed_out: str | None = None
    partial: str | None = None
    """What it had said by then."""
    broke_off: str | None = None
    """Why a conversation was stopped where it was, until it is spoken to."""
    declined: bool = False
    """Its mind would not answer what was said last."""


class CloseStep(StepPayload):
    """A session is over."""

    kind: ClassVar[Kind] = "close"
    exit_code: int = 0
    why: str = ""


class NoteStep(StepPayload):
    """Anything else that is written down; by itself, only where something came from."""

    kind: ClassVar[Kind] = "note"


class CardNote(NoteStep):
    """A card was put before the founder."""

    card: str
    told: str


class SnapshotNote(NoteStep):
    """What a session leaves behind: the arguments of `session.finalise`."""

    snapshot: CallArgs


class SummaryNote(NoteStep):
    """Everything up to now, in its place."""

    summary: str
    carried: str | None = None
    """What whoever listens is told of it."""
    room: int = 0
    """Tokens of what was said last that stay word for word, beside what is being answered."""
    words: int = 0
    """Tokens of what the founder said before that, which stay word for word without what was answered."""
    brief: bool = True
    """What the session was opened with stays: it is what it works on. A conversation was only begun by it."""
    failed: bool = False
    """None was written: it stands beside the one of before, which it does not replace."""


class WaitingCall(JournalModel):
    """A call that waits while the talk goes on."""

    call: str
    tool: str
    args: str
    verb: str | None = None
    waits: SessionWait


class WindowNote(SummaryNote):
    """Everything before a step, in its place."""

    from_step: int
    waiting: list[WaitingCall] = []
    """Calls of before that step that had not come back by then: what comes of them is told all the same."""


class NudgeNote(NoteStep):
    """It was told to go on, or to say that it is done."""

    nudge: str
    of_work: bool = False
    """That what it was opened for is still open, although it says that it is done."""


class HeardNote(NoteStep):
    """Messages to a session on something else."""

    heard: str
    senders: Several = Field(default=[], validation_alias="from", serialization_alias="from")
    messages: list[str] = []
    handoff: str | None = None
    """The handoff it owes a document."""
    asks: str = ""
    """How that was asked for."""


class SettledNote(NoteStep, CallReturned):
    """What a call came to that waited while the talk went on."""

    settled: str
    runs: list[RunRequest] = []
    """Whose call that was: it is their turn again."""
    quiet: bool = False
    """Nothing is left to do by it, or another call waits for what this one set going: it is told with what comes next."""
    repeated: bool = False
    """The same was called again while it waited: what comes of it is told once, of the last."""


class HouseSaidNote(NoteStep):
    """What the house says in a conversation of what was done, where nobody else does."""

    house: str


class HandedNote(NoteStep):
    """The document of a handoff is written."""

    handed: str


class SetbackNote(NoteStep):
    """A mind did not answer."""

    setback: str


class RouteNote(NoteStep):
    """What a message seemed to want: sessions of before say so."""

    route: ModelJson


class EscalatedNote(NoteStep):
    """It could not be answered at once after all: sessions of before say so."""

    escalated: str


class GivenUpNote(NoteStep):
    """A completion will not be: who asks is told why, and by what sort of error."""

    given_up: str
    why: str
    until: datetime | None = None
    """When it is worth asking again."""
    param: str | None = None
    """What of the request is to blame."""


class RememberedNote(NoteStep):
    """How far a conversation was looked through for memories."""

    remembered: int


STEPS: dict[str, type[StepPayload]] = {
    each.kind: each for each in (OpenStep, WakeStep, MindStep, VerbStep, WaitStep, CloseStep)
}
NOTES: dict[str, type[NoteStep]] = {
    "card": CardNote,
    "snapshot": SnapshotNote,
    "from_step": WindowNote,
    "summary": SummaryNote,
    "nudge": NudgeNote,
    "heard": HeardNote,
    "settled": SettledNote,
    "house": HouseSaidNote,
    "handed": HandedNote,
    "setback": SetbackNote,
    "route": RouteNote,
    "escalated": EscalatedNote,
    "remembered": RememberedNote,
    "given_up": GivenUpNote,
}
"""By what only that note has, the narrower first."""


def read_step(kind: str, payload: StepJson) -> StepPayload:
    """A step as it is in the journal."""
    note = next((NOTES[name] for name in NOTES if name in payload), NoteStep)
    return STEPS.get(kind, note).model_validate(payload)
