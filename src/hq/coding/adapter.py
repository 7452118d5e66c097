"""The adapter that every coding program has: a command to run in the sandbox, and lines that tell what it does and
wants to do.

    command = adapter.command(order)       # what to start, with which environment
    talk = adapter.talk(order)             # then, for each line it writes:
    heard = talk.heard(line)               #   what it did, what to answer it, whether it is over
    talk.told                              # and at the end what it says of itself

Whether the work was done is never taken from `told` alone: see `run.py`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from hq.json_text import json_value
from hq.sandbox import Shared

Mode = Literal["yolo", "cautious", "plan_only"]
Kind = Literal["said", "did", "got", "asked", "denied"]
HOME = "/mission/.hq/home"
"""Where a program keeps its own things: in the tree, so that a conversation can be gone on with, but in no snapshot."""
PORT = 4000
"""Where it finds the model server on its own loopback."""
PLAN = "Change nothing. Look at what is there, and answer with a plan: the steps, the files each touches, what could go wrong."
LONGEST = 2000
"""Characters of a step that are kept."""


@dataclass(frozen=True)
class Operation:
    """Something the program wants to do."""

    tool: str
    input: Mapping[str, Any]

    @property
    def fingerprint(self) -> str:
        """A yes is good for exactly this."""
        text = json.dumps([self.tool, dict(self.input)], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def says(self) -> str:
        told = self.input.get("command") or self.input.get("file_path") or self.input.get("path") or ""
        return f"{self.tool}: {told}" if told else self.tool


@dataclass(frozen=True)
class OperationDecision:
    """Whether an operation is carried out, refused with a reason, or has to be asked about first."""

    what: Literal["allow", "deny", "ask"]
    why: str = ""


@dataclass(frozen=True)
class AnsweredOperation:
    """What it stopped before, and what was decided about that since."""

    operation: Operation
    decision: OperationDecision


@dataclass(frozen=True)
class Order:
    """What is asked of the program."""

    prompt: str
    mode: Mode
    model: str
    key: str
    """Opens the model server for this run and nothing else."""
    conversation: str
    """A UUID it keeps the conversation under."""
    resume: bool
    """Go on with that conversation; without a prompt, from the operation it stopped before."""
    decide: Callable[[Operation], OperationDecision]
    answered: AnsweredOperation | None = None
    """For a program that does not ask about that operation again by itself."""
    url: str = f"http://127.0.0.1:{PORT}"


@dataclass(frozen=True)
class Command:
    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    shared: Sequence[Shared] = ()
    stdin: bytes = b""
    talks: bool = True
    """It goes on reading after that; otherwise it gets the end of its input at once."""


@dataclass(frozen=True)
class CodingStep:
    """One thing that happened, as it is shown to whoever follows."""

    kind: Kind
    text: str
    tool: str = ""

    @classmethod
    def of(cls, kind: Kind, text: str, tool: str = "") -> CodingStep:
        return cls(kind, text.replace("\0", "").strip()[:LONGEST], tool)


@dataclass(frozen=True)
class ProgramOutput:
    steps: Sequence[CodingStep] = ()
    answer: bytes = b""
    """To be written to the program."""
    over: bool = False
    """It has said its last word; its input can be closed."""


@dataclass
class ProgramClaim:
    """What the program says of itself. A word to be checked, not a fact."""

    over: bool = False
    is_error: bool = False
    text: str = ""
    asked: Operation | None = None
    """It stopped before this and waits."""
    denied: list[Operation] = field(default_factory=list)
    conversation: str = ""


class ProgramDialogue(Protocol):
    told: ProgramClaim

    def heard(self, line: bytes) -> ProgramOutput: ...


class Adapter(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def to_install(self) -> str: ...

    def program(self) -> Path | None:
        """Where it is on this machine."""
        ...

    def kept(self, home: Path, conversation: str) -> bool:
        """Whether it has written down a conversation that can be gone on with; killed early, it may not have."""
        ...

    def command(self, order: Order) -> Command: ...

    def talk(self, order: Order) -> ProgramDialogue: ...


def parsed(line: bytes) -> Mapping[str, Any]:
    """A line of JSON; what is none says nothing."""
    try:
        found = json_value(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def text_of(content: Any) -> str:
    """The text in what a tool gave back, a string or a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part["text"]) for part in parts if isinstance(part, dict) and "text" in part)


def line_of(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"
