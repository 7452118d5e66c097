"""The transcript of a journal: the messages so far, the calls that have no outcome yet, and where the session
stands."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from hq.context.inbound_format import LETTER
from hq.context.reconstruction import WOKEN_BY, parted
from hq.door.actor import FOUNDER, PEOPLE, principal_of
from hq.engine.sessions.journal import JournalStep
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
from hq.minds.prompt_data import NOT_TO_ANSWER, aside, escaped, indented
from hq.minds.tokens import estimate
from hq.sessions.kept_reply import broke_off_in_a_call, read_response
from hq.sessions.message_words import in_words, is_among, newest_words, said_parts, said_text
from hq.sessions.tool_result_text import told

DONE = re.compile(r'<task-complete(?:\s+reason="(?P<reason>[^"]*)")?(?P<rest>[^>]*)/?>', re.I)
DECLINED = "(Something was said here that the model declined to answer.)"
GIVEN = 160
"""Characters of what a call was made with, where it is named later."""
GO_ON = "(What you did until now stands in the summary above. Go on with what is not answered yet.)"
WORDS_BEFORE = "What the founder said before, word for word; it was answered:"
ON_THE_WAY = "You said meanwhile:"
TRIGGER = re.compile(rf"{WOKEN_BY}a \w+ from (?:{'|'.join(PEOPLE)}):[^\n]*\n<message>(.*?)</message>", re.S)
"""What the founder said first, where a conversation began with it."""
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
    replies: int = 0
    """Of its mind, since it was summed up last."""
    unsummed: bool = False
    """No summary could be written when it was due last."""
    _summed: str = ""
    """The last summary that was written."""
    _of_house: list[UserPromptPart] = field(default_factory=list)
    """What stands for all that was before, and leads to what is to be answered: the next summary takes the place of these."""
    _founders: list[UserPromptPart] = field(default_factory=list)
    """What the founder said, as far as it stands there word for word."""
    _words: list[str] = field(default_factory=list)
    """What they said before that, of which the answers are summed up."""

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
                self._begin_with(payload)
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
        self.replies += 1
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
        self.cut = self.pending[-1].tool_call_id if self.pending and broke_off_in_a_call(response) else None
        self.calls += [(part.tool_name, part.args_as_json_str()) for part in self.pending]

    def _leave_out(self) -> None:
        """What was declined would be again, whatever is said next: only that it was said stays. That is the last that was said; where it
        is declined without that too, it was something before."""
        unanswered = [*self.messages[self._finished :], ModelRequest(parts=self._returns)]
        said = [
            part
            for message in unanswered
            for part in message.parts
            if isinstance(part, UserPromptPart) and not is_among(part, self._of_house) and part.content != DECLINED
        ]
        if said:
            self._replace(said if self.declined else said[-1:], DECLINED)
        self.declined = True

    def _replace(self, parts: Sequence[UserPromptPart], text: str) -> None:
        def other(message: ModelRequest) -> ModelRequest:
            return replace(message, parts=list(map(changed, message.parts)))

        def changed(part: ModelRequestPart) -> ModelRequestPart:
            return replace(part, content=text) if is_among(part, parts) else part

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
            if _said_by_founder(wake, said):
                self._founders = [*self._founders, cast("UserPromptPart", self._returns[-1])]

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

    def _begin_with(self, note: WindowNote) -> None:
        """What it was opened with was answered long ago: only what was known then stands before the summary."""
        self._summed, self._of_house = note.summary, [UserPromptPart(content=note.summary)]
        opened, self._returns = self._returns, []
        for part in opened:
            known = parted(str(part.content))[0] if isinstance(part, UserPromptPart) else ""
            self._of_house[:0] = [UserPromptPart(content=known)] if known else []
        self._returns += self._of_house

    def _sum_up(self, note: SummaryNote) -> None:
        """Everything up to now becomes its summary, which stands at the beginning. Behind it stay, word for word, of what was said last as
        much as there is room for, and last what is still to be answered; calls and what came back from them do not."""
        everything, split = self.next_messages(), self._finished
        brief = [part for part in said_parts(everything[0]) if note.brief and not is_among(part, self._of_house)]
        known = [] if note.brief else self._set_apart(everything)
        over = in_words(everything[:split], [*self._of_house, *brief])
        asked = [part for each in in_words(everything[split:], [*self._of_house, *brief]) for part in said_parts(each)]
        kept = newest_words(over, note.room)
        self._keep_words(over[: len(over) - len(kept)], note.words)
        on_the_way = [text for message in everything[split:] if (text := said_text(message))]
        summary, go_on = UserPromptPart(content=self._summary(note, on_the_way)), UserPromptPart(content=GO_ON)
        words = [UserPromptPart(content=_listed(WORDS_BEFORE, self._words))] if self._words else []
        self._of_house = [*known, summary, *words, go_on]
        self.messages = [ModelRequest(parts=[*known, *brief, summary, *words]), *kept]
        self._returns, self._aside = [go_on, *asked], []
        self.tokens = self.spent_tokens = self.replies = 0

    def _set_apart(self, everything: list[ModelMessage]) -> list[UserPromptPart]:
        """What was known when a conversation began stays before its summary; what it began with is a message like those that followed."""
        for part in said_parts(everything[0]):
            known, woken_by = parted(str(part.content))
            if known and is_among(part, self._of_house):
                return [part]
            if known:
                word = UserPromptPart(content=woken_by)
                rest = [word if each is part else each for each in everything[0].parts if woken_by or each is not part]
                everything[0] = ModelRequest(parts=cast("list[ModelRequestPart]", rest))
                self._founders = [*self._founders, *([word] if TRIGGER.match(woken_by) else [])]
                return [UserPromptPart(content=known)]
        return []

    def _summary(self, note: SummaryNote, on_the_way: Sequence[str]) -> str:
        """Where none was written, the last that was, with what is known beside it."""
        self.unsummed = note.failed
        if not note.failed:
            self._summed = note.summary
            return note.summary
        said = [_listed(ON_THE_WAY, on_the_way)] if on_the_way else []
        return "\n\n".join(filter(None, (self._summed, note.summary, *said)))

    def _keep_words(self, over: Sequence[ModelMessage], room: int) -> None:
        """The newest of what the founder said that takes no more than that."""
        gone = [part for message in over for part in said_parts(message)]
        words = [*self._words, *(_word(part) for part in gone if is_among(part, self._founders))]
        self._founders = [part for part in self._founders if not is_among(part, gone)]
        self._words = []
        for word in reversed(words):
            if (room := room - estimate(word)) < 0:
                break
            self._words.insert(0, word)


def _said_by_founder(wake: WakeStep, said: str) -> bool:
    """What somebody else said beside them is a letter."""
    by_founder = not wake.senders or any(principal_of(str(each))[0] == FOUNDER for each in wake.senders)
    return by_founder and not LETTER.match(said)


def _word(part: UserPromptPart) -> str:
    """What the founder said, without what the house noted about it."""
    text = str(part.content)
    began = TRIGGER.match(text)
    return began[1] if began else text.partition("\n\n<house>")[0]


def _listed(title: str, texts: Iterable[str]) -> str:
    return "\n".join([title, *(f"- {indented(text)}" for text in texts)])


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
