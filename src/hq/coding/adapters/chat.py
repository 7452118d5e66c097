"""Our own small coding program, for any model that speaks OpenAI's chat. It needs nothing but Python in the sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hq.coding.adapter import HOME, CodingStep, Command, Operation, Order, ProgramClaim, ProgramOutput, line_of, parsed
from hq.sandbox import Shared

PROGRAM = Path(__file__).with_name("chat_program.py")
INSIDE = "/opt/chat_program.py"


class Chat:
    name = "chat"
    to_install = "it comes with hq"

    def program(self) -> Path | None:
        return PROGRAM

    def kept(self, home: Path, conversation: str) -> bool:
        return (home / f"chat-{conversation}.json").is_file()

    def command(self, order: Order) -> Command:
        told = {
            "prompt": order.prompt,
            "model": order.model,
            "url": f"{order.url}/v1/chat/completions",
            "looking": order.mode == "plan_only",
            "state": f"{HOME}/chat-{order.conversation}.json",
            "resume": order.resume,
        }
        argv = ["/usr/bin/python3", "-I", INSIDE]
        return Command(argv, {"MODEL_KEY": order.key}, [Shared(PROGRAM, INSIDE)], line_of(told))

    def talk(self, order: Order) -> ChatTalk:
        return ChatTalk(order)


class ChatTalk:
    def __init__(self, order: Order) -> None:
        self.told = ProgramClaim(conversation=order.conversation)
        self._order = order

    def heard(self, line: bytes) -> ProgramOutput:
        message = parsed(line)
        match message.get("type"):
            case "may":
                return self._asked(message)
            case "said" | "did" | "got" as kind:
                return ProgramOutput([CodingStep.of(kind, str(message.get("text", "")), str(message.get("tool", "")))])
            case "over":
                self.told.over = True
                self.told.is_error = bool(message.get("error"))
                self.told.text = str(message.get("error") or message.get("text") or "")
                return ProgramOutput(over=True)
        return ProgramOutput()

    def _asked(self, message: Mapping[str, Any]) -> ProgramOutput:
        operation = Operation(str(message["tool"]), message["input"])
        decision = self._order.decide(operation)
        steps = []
        if decision.what == "ask":
            self.told.asked = operation
        if decision.what == "deny":
            self.told.denied.append(operation)
            steps.append(CodingStep.of("denied", f"{operation.says} ({decision.why})", operation.tool))
        return ProgramOutput(steps, line_of({"decision": decision.what, "why": decision.why}))
