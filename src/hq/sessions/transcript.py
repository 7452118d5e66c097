"""The transcript of a journal: the messages so far, the calls that have no outcome yet, and where the session
stands."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from hq.engine.sessions.journal import JournalStep
from hq.engine.sessions.reply import KeptReply
from hq.engine.sessions.steps import (
    CardNote,
    HandedNote,
    HeardNote,
    MindStep,
    NudgeNote,
    OpenStep,
    SessionWait,
    SetbackNote,
    SettledNote,
    SnapshotNote,
    StepPayload,
    SummaryNote,
    VerbStep,
    WaitingCall,
    WaitStep,
    WakeStep,
    WindowNote,
)
from hq.guard.loops import CompletedCall
from hq.json_types import CallArgs
from hq.minds.prompt_data import NOT_TO_ANSWER, aside, escaped
from hq.minds.tokens import estimate
from hq.sessions.tool_result_text import told

DONE = re.compile(r'<task-complete(?:\s+reason="(?P<reason>[^"]*)")?(?P<rest>[^>]*)/?>', re.I)
DECLINED = "(Something was said here that the model declined to answer.)"
GIVEN = 160
"""Characters of what a call was made with, where it is named later."""
NO_MEMORIES = re.compile(r'memory_entry_count="?0"?', re.I)


@dataclass(frozen=True)
class Unsettled:
    call: ToolCallPart
    wait: SessionWait
    verb: str | None = None

    @property
    def name(self) -> str:
        """What was called, as a tool."""
        if self.verb:
            return self.verb.replace(".", "_")
        action = self.call.args_as_dict().get("action")
        return "_".join(filter(None, (self.call.tool_name.removeprefix("hq_"), action)))

    @property
    def called(self) -> str:
        """The same with what it was called with, as far as it tells one from another."""
        given = self.call.args_as_json_str()
        return f"{self.name} {given if len(given) <= GIVEN else given[:GIVEN] + '…'}"


@dataclass
class Transcript:
    """Grows step by step, the same way whether the session runs or is read back after a crash."""

    messages: list[ModelMessage] = field(default_factory=list)
    pending: list[ToolCallPart] = field(default_factory=list)
    """Calls of the last reply that have no outcome yet, in order."""
    turns: int = 0
    answers: int = 0
    """Of its mind, in all."""
    tokens: int = 0
    """What the last reply said went in and out: how full the context is."""
    spent_tokens: int = 0
    """What was used since it was spoken to or summed up what was said; what came from a provider's cache by its price."""
    said: str = ""
    """The text of the last reply."""
    spoken: str = ""
    """The last text for others to read: without the sentinel, and of an earlier reply where the last had none."""
    ids: set[str] = field(default_factory=set)
    """Of the calls that were made, as far as they can be read."""
    summed_up: bool = False
    """Earlier ones can not: only their summary is left."""
    calls: list[tuple[str, str]] = field(default_factory=list)
    """Every call since it was spoken to as (tool, arguments): what loops show in."""
    made: list[CompletedCall] = field(default_factory=list)
    """Every call that came back since then, with a mark of what it brought: what other loops show in."""
    broke_off: bool = False
    """It rests although its mind had not come to an end, until it is spoken to."""
    setbacks: int = 0
    """How often in a row a mind did not answer."""
    cut: str | None = None
    """The call in which the last reply was cut off: whatever stands there, it is not what was meant."""
    nudged: bool = False
    reminded: bool = False
    """It was told that its work is open, although it says that it is done."""
    taint: set[str] = field(default_factory=set)
    """Where what it has read came from; every step may bring some."""
    model: str | None = None
    snapshot: CallArgs | None = None
    unsettled: dict[str, Unsettled] = field(default_factory=dict)
    """Calls of a thread that wait while the talk goes on, by their id: what comes of them is told later."""
    withdrawn: set[str] = field(default_factory=set)
    """What it asked for and took back itself, by id."""
    ended: tuple[str, str] | None = None
    """The id of what a call of the last reply brought to its end, and that in words; nothing where a call failed beside it."""
    lies_for: Sequence[str] = ()
    """What the call waits for over which it lay down last."""
    stopped_for: str | None = None
    """Why it broke off last, as long as its mind has answered nothing since."""
    declined: bool = False
    """Its mind would not answer, and has answered nothing since."""
    handoff: tuple[str, str] | None = None
    """The handoff it owes a document, and how that was asked for."""
    _returns: list[ModelRequestPart] = field(default_factory=list)
    _aside: list[ModelRequestPart] = field(default_factory=list)
    """What the mind is to know when it is asked next, but is not asked for."""
    _summary: UserPromptPart | None = None
    """What stands for all that was called before: the next summary takes its place."""

    @classmethod
    def of(cls, steps: Iterable[JournalStep]) -> Transcript:
        made = cls()
        for step in steps:
            made.add(step.payload)
        return made

    def add(self, payload: StepPayload) -> None:
        self.taint.update(payload.taint)
        match payload:
            case OpenStep():
                self.messages += ModelMessagesTypeAdapter.validate_python(payload.past)
                if payload.prompt:
                    self.tell(payload.prompt)
            case WakeStep():
                self._woken(payload)
            case MindStep():
                self._reply(payload)
            case VerbStep():
                self._outcome(payload)
            case CardNote():
                said = aside(f"The house told the founder, in your name: {payload.told}")
                self._aside.append(UserPromptPart(content=said))
            case SnapshotNote():
                self.snapshot = payload.snapshot
            case WindowNote():
                self.summed_up = True
                for each in payload.waiting:
                    call = ToolCallPart(tool_name=each.tool, args=each.args, tool_call_id=each.call)
                    self.unsettled[each.call] = Unsettled(call, each.waits, each.verb)
                self.tell(payload.summary)
            case SummaryNote():
                self.summed_up = True
                self._sum_up(payload)
            case NudgeNote():
                self.said = ""
                self.nudged, self.reminded = self.nudged or not payload.of_work, self.reminded or payload.of_work
                self.tell(payload.nudge)
            case HeardNote():
                self._told(payload)
            case SettledNote():
                self._settled(payload)
            case HandedNote():
                self.handoff = None
            case SetbackNote():
                self.setbacks += 1
            case WaitStep():
                self.broke_off = payload.broke_off is not None
                self.stopped_for = payload.broke_off or self.stopped_for
                self.lies_for = payload.things if payload.call else ()
                if payload.declined:
                    self._leave_out()
            case _:
                pass

    def tell(self, text: str) -> None:
        """Something for the mind to read next."""
        self._returns.append(UserPromptPart(content=text))

    def next_messages(self) -> list[ModelMessage]:
        """What the mind is asked with: everything so far, with what came back since its last reply."""
        # Providers want what came back from calls before anything else that is said.
        parts = sorted([*self._aside, *self._returns], key=lambda part: not isinstance(part, ToolReturnPart))
        return [*self.messages, ModelRequest(parts=parts)] if parts else list(self.messages)

    def after(self, note: SummaryNote) -> Transcript:
        """How it would go on from this; itself it stays as it is."""
        other = replace(self)
        other.add(note)
        return other

    def called_again(self, waited: Unsettled) -> bool:
        """Whether the same was called once more while this waited."""
        since = [each.call for each in self.unsettled.values()] + self.pending
        same = [each for each in since if (each.tool_name, each.args) == (waited.call.tool_name, waited.call.args)]
        return bool(same) and same[-1].tool_call_id != waited.call.tool_call_id

    def took_back(self, waited: Unsettled) -> bool:
        """Whether it withdrew itself what this waits for: what comes of it is no news."""
        return any(thing.partition(":")[2] in self.withdrawn for thing in waited.wait.things)

    @property
    def waiting(self) -> list[WaitingCall]:
        """The calls that wait, as they are kept where what was said before is not."""
        return [
            WaitingCall(
                call=id,
                tool=each.call.tool_name,
                args=each.call.args_as_json_str(),
                verb=each.verb,
                waits=each.wait,
            )
            for id, each in self.unsettled.items()
        ]

    @property
    def answered(self) -> bool:
        """The mind spoke last: there is nothing that it has not seen yet."""
        return not self._returns and bool(self.messages) and isinstance(self.messages[-1], ModelResponse)

    @property
    def spoken_to(self) -> bool:
        """Somebody said something since the last reply, although its calls have not all come back."""
        return any(isinstance(part, UserPromptPart) for part in self._returns)

    @property
    def complete(self) -> re.Match[str] | None:
        """The sentinel, if the last reply had it."""
        return DONE.search(self.said)

    def _reply(self, reply: MindStep) -> None:
        response = read_response(reply.response)
        self.messages = [*self.next_messages(), response]
        self._aside, self._returns = [], []
        self.turns += 1
        self.answers += 1
        self.model = reply.model
        self.setbacks = 0
        self.ended = self.stopped_for = None
        self.declined = False
        self.tokens = reply.tokens_in + reply.tokens_out
        self.spent_tokens += self.tokens if reply.tokens_counted is None else reply.tokens_counted
        self.said = "\n".join(reply.texts)
        self.spoken = DONE.sub("", self.said).strip() or self.spoken
        self.pending = [part for part in response.parts if isinstance(part, ToolCallPart)]
        self.ids.update(part.tool_call_id for part in self.pending)
        self.cut = self.pending[-1].tool_call_id if self.pending and _broke_off_in_a_call(response) else None
        self.calls += [(part.tool_name, part.args_as_json_str()) for part in self.pending]

    def _leave_out(self) -> None:
        """What was declined would be again, whatever is said next: only that it was said stays. That is the last that was said; where it
        is declined without that too, it was something before."""
        unanswered = [*self.messages[self._finished :], ModelRequest(parts=self._returns)]
        said = [
            part
            for message in unanswered
            for part in message.parts
            if isinstance(part, UserPromptPart) and part is not self._summary and part.content != DECLINED
        ]
        if said:
            self._replace(said if self.declined else said[-1:], DECLINED)
        self.declined = True

    def _replace(self, parts: Sequence[UserPromptPart], text: str) -> None:
        def other(message: ModelRequest) -> ModelRequest:
            return replace(message, parts=list(map(changed, message.parts)))

        def changed(part: ModelRequestPart) -> ModelRequestPart:
            return replace(part, content=text) if any(part is each for each in parts) else part

        self.messages = [other(each) if isinstance(each, ModelRequest) else each for each in self.messages]
        self._returns = list(map(changed, self._returns))

    @property
    def _finished(self) -> int:
        """How many of the messages there were when it last had said all it had to: what comes behind is being answered."""
        ends = (
            number
            for number, message in enumerate(self.messages, 1)
            if isinstance(message, ModelResponse) and not any(isinstance(part, ToolCallPart) for part in message.parts)
        )
        return max(ends, default=0)

    def _woken(self, wake: WakeStep) -> None:
        """A thread is spoken to again: what limits one run counts from here."""
        each = wake.said or [wake.prompt]  # each message is one of its own to the mind
        if wake.quiet:
            self._aside += [UserPromptPart(content=f"{NOT_TO_ANSWER}{said}") for said in each]
            return
        self._begin_anew()
        for said in each:
            self.tell(said)

    def _settled(self, note: SettledNote) -> None:
        """What a call came to that had to wait: told like a message, for the mind has gone on since."""
        # In a journal of an earlier release the call may stand before the summary: only what came of it is known then.
        waited = self.unsettled.pop(note.settled, None)
        if note.repeated:
            return
        result = escaped(told(note, waited.call.tool_name if waited else ""))
        said = f"Your call{f' {waited.called}' if waited else ''}, which waited, came back: {result}"
        if note.quiet:
            self._aside.append(UserPromptPart(content=f"{NOT_TO_ANSWER}{said}"))
        else:
            self._begin_anew()
            self.tell(said)

    def _begin_anew(self) -> None:
        """Somebody spoke, or something came back: to look again after that leads somewhere, so also loops count from here."""
        self.turns = self.spent_tokens = self.setbacks = 0
        self.said, self.nudged, self.calls, self.made = "", False, [], []
        self.broke_off = False

    def _told(self, note: HeardNote) -> None:
        """Somebody said something meanwhile: it is not done before it has looked at that."""
        if note.heard:
            self.said, self.nudged, self.ended = "", False, None
            self.tell(note.heard)
        if note.handoff:
            self.handoff = (note.handoff, note.asks)

    def _outcome(self, outcome: VerbStep) -> None:
        call = next((part for part in self.pending if part.tool_call_id == outcome.call), None)
        if call is None:
            return
        self.pending.remove(call)
        content = told(outcome, call.tool_name)
        if outcome.waits:
            self.unsettled[call.tool_call_id] = Unsettled(call, outcome.waits, outcome.verb)
        self._returns.append(ToolReturnPart(tool_name=call.tool_name, content=content, tool_call_id=call.tool_call_id))
        if outcome.ok and outcome.verb == "ask.withdraw" and isinstance(outcome.data, dict):
            self.withdrawn.add(str(outcome.data.get("id")))
        if isinstance(outcome.data, dict) and (ends := outcome.data.get("ends")):
            self.ended = (outcome.data["id"], ends)
        elif not outcome.ok:
            self.ended = None
        code = (outcome.error or {}).get("code")
        verb = outcome.verb if outcome.ok else None
        given = call.args_as_json_str()
        self.made.append(CompletedCall(call.tool_name, given, hash(content), code, verb, self.answers))

    def _sum_up(self, note: SummaryNote) -> None:
        """Everything up to now becomes its summary. What was said first, what is being answered, and of what was said before that as
        much as there is room for stay word for word; calls and what came back from them do not."""
        split = max(self._finished, 1)
        everything = self.next_messages()
        before, newest = in_words(everything[1:split], self._summary), in_words(everything[split:], self._summary)
        self.messages = [*in_words(everything[:1], self._summary), *_newest(before, note.room), *newest]
        self._summary = UserPromptPart(content=note.summary)
        self._returns, self._aside = [self._summary], []
        self.tokens = self.spent_tokens = 0


def in_words(messages: Iterable[ModelMessage], without: ModelRequestPart | None = None) -> list[ModelMessage]:
    """What was said, without what was called and what came back."""
    found: list[ModelMessage] = []
    for message in messages:
        if isinstance(message, ModelRequest):
            said = [part for part in message.parts if isinstance(part, UserPromptPart | SystemPromptPart)]
            said = [part for part in said if part is not without]
            found += [ModelRequest(parts=said)] if said else []
        elif text := "\n\n".join(part.content for part in message.parts if isinstance(part, TextPart)).strip():
            found.append(ModelResponse(parts=[TextPart(content=text)]))
    return found


def _newest(said: Sequence[ModelMessage], room: int) -> list[ModelMessage]:
    """The last of it that takes no more tokens than that, from something that was said to the mind on, or all."""
    begin = len(said)
    for number in range(len(said) - 1, -1, -1):
        room -= estimate("".join(sent_texts(said[number])))
        if room < 0:
            break
        if isinstance(said[number], ModelRequest) or number == 0:
            begin = number
    return list(said[begin:])


def told_apart(response: ModelResponse, talk: Transcript, place: str) -> ModelResponse:
    """Each call under an id of its own, for under that it is made once: providers number theirs as they like, and begin anew
    when they see less of what was said."""
    taken, parts = set(talk.ids), []
    for number, part in enumerate(response.parts):
        if isinstance(part, ToolCallPart):
            if talk.summed_up or part.tool_call_id in taken:
                mark = hashlib.sha256(f"{place}:{number}:{part.tool_call_id}".encode()).hexdigest()[:24]
                part = replace(part, tool_call_id=f"call_{mark}")
            taken.add(part.tool_call_id)
        parts.append(part)
    return replace(response, parts=parts)


def _broke_off_in_a_call(response: ModelResponse) -> bool:
    return response.finish_reason == "length" and isinstance(response.parts[-1], ToolCallPart)


def read_response(dumped: KeptReply) -> ModelResponse:
    (message,) = ModelMessagesTypeAdapter.validate_python([dumped])
    assert isinstance(message, ModelResponse)
    return message


def dump_response(response: ModelResponse) -> KeptReply:
    (dumped,) = ModelMessagesTypeAdapter.dump_python([response], mode="json", exclude_none=True)
    dumped.pop("usage", None)  # the journal has it in our own words
    for part in dumped["parts"]:
        if isinstance(args := part.get("args"), dict):  # as text, for the database would put its keys in another order
            part["args"] = json.dumps(args, ensure_ascii=False)
    return _storable(dumped)


def _storable(value: Any) -> Any:
    """A mind may say anything, also what Postgres cannot keep: NUL and halves of characters become a mark."""
    match value:
        case str() if not value.isascii() or "\0" in value:
            return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
        case list():
            return [_storable(each) for each in value]
        case dict():
            return {_storable(key): _storable(each) for key, each in value.items()}
    return value


def sent_texts(message: ModelMessage) -> Iterator[str]:
    """The texts of a message as a provider gets them; a call is its tool and its arguments."""
    for part in message.parts:
        match part:
            case UserPromptPart():
                content = [part.content] if isinstance(part.content, str) else part.content
                yield from (each if isinstance(each, str) else f"({type(each).__name__})" for each in content)
            case TextPart() | ThinkingPart() | SystemPromptPart():
                yield part.content
            case ToolCallPart():
                yield f"{part.tool_name} {part.args_as_json_str()}"
            case ToolReturnPart():
                yield part.model_response_str()
            case RetryPromptPart():
                yield part.model_response()
            case _:
                yield f"({part.part_kind})"
