"""Claude's command line, the one that comes with `claude-agent-sdk`, spoken to in its own stream of JSON lines.

Before each tool it asks us (a hook). Where somebody has to be asked first, the answer is `defer`: it then ends, with the
conversation on the disk, and resumed it asks about the very same operation again. So nothing is held while it waits.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from hq.coding.adapter import (
    HOME,
    PLAN,
    CodingStep,
    Command,
    Operation,
    OperationDecision,
    Order,
    ProgramClaim,
    ProgramOutput,
    line_of,
    parsed,
    text_of,
)
from hq.sandbox import Shared

INSIDE = "/opt/claude"
TOOLS = "Bash,Read,Write,Edit,Glob,Grep"
LOOKING = "Read,Glob,Grep"
ENV = {
    "CLAUDE_CONFIG_DIR": f"{HOME}/.claude",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",  # without it, it calls home before it does anything
    "CLAUDE_CODE_MAX_RETRIES": "2",
    "DISABLE_AUTOUPDATER": "1",
}


class Claude:
    name = "claude"
    to_install = "`pip install 'hq[coding]'` brings it along, as `make up` does"

    def program(self) -> Path | None:
        return _bundled()

    def kept(self, home: Path, conversation: str) -> bool:
        return any(home.glob(f".claude/projects/*/{conversation}.jsonl"))

    def command(self, order: Order) -> Command:
        program = self.program()
        assert program
        argv = [
            INSIDE, "--print", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json",
            "--setting-sources", "", "--strict-mcp-config", "--disable-slash-commands", "--max-turns", "100",
            "--tools", LOOKING if order.mode == "plan_only" else TOOLS, "--model", order.model,
            "--permission-mode", "default", "--permission-prompt-tool", "stdio",
            "--resume" if order.resume else "--session-id", order.conversation,
        ]  # fmt: skip
        if order.mode == "plan_only":
            argv += ["--append-system-prompt", PLAN]
        env = {**ENV, "ANTHROPIC_BASE_URL": order.url, "ANTHROPIC_API_KEY": order.key}
        hooks = {"PreToolUse": [{"matcher": None, "hookCallbackIds": ["before"]}]}
        said = line_of(
            {"type": "control_request", "request_id": "begin", "request": {"subtype": "initialize", "hooks": hooks}}
        )
        if order.prompt:
            message = {"role": "user", "content": order.prompt}
            said += line_of(
                {"type": "user", "message": message, "parent_tool_use_id": None, "session_id": order.conversation}
            )
        return Command(argv, env, [Shared(program, INSIDE)], said)

    def talk(self, order: Order) -> ClaudeTalk:
        return ClaudeTalk(order)


class ClaudeTalk:
    def __init__(self, order: Order) -> None:
        self.told = ProgramClaim(conversation=order.conversation)
        self._order = order

    def heard(self, line: bytes) -> ProgramOutput:
        message = parsed(line)
        match message.get("type"):
            case "assistant" | "user":
                return ProgramOutput(list(_steps(message)))
            case "control_request":
                return self._asked(message)
            case "result":
                return self._over(message)
        return ProgramOutput()

    def _asked(self, message: Mapping[str, Any]) -> ProgramOutput:
        request = message["request"]
        match request.get("subtype"):
            case "hook_callback":
                given = request["input"]
                operation = Operation(given["tool_name"], given["tool_input"])
                decision = self._decide(operation)
                told = {"allow": "allow", "deny": "deny", "ask": "defer"}[decision.what]
                said = {
                    "hookSpecificOutput": {
                        "hookEventName": "PreToolUse",
                        "permissionDecision": told,
                        "permissionDecisionReason": decision.why,
                    }
                }
            case "can_use_tool":
                # It asks a second time about what it finds dangerous itself. To wait is no answer here.
                operation = Operation(request["tool_name"], request["input"])
                decision = self._decide(operation)
                if decision.what == "ask":
                    decision = self._deny(operation, "this operation has to be the only one of its turn")
                said = (
                    {"behavior": "allow", "updatedInput": request["input"]}
                    if decision.what == "allow"
                    else {"behavior": "deny", "message": decision.why}
                )
            case _:
                return ProgramOutput(answer=_answered(message, {}))
        steps = [CodingStep.of("denied", f"{operation.says} ({decision.why})", operation.tool)]
        return ProgramOutput(steps if decision.what == "deny" else [], _answered(message, said))

    def _decide(self, operation: Operation) -> OperationDecision:
        decision = self._order.decide(operation)
        if decision.what == "ask" and self.told.asked:
            return self._deny(operation, "another operation waits for an answer; one at a time")
        if decision.what == "ask":
            self.told.asked = operation
        return self._deny(operation, decision.why) if decision.what == "deny" else decision

    def _deny(self, operation: Operation, why: str) -> OperationDecision:
        if operation not in self.told.denied:
            self.told.denied.append(operation)
        return OperationDecision("deny", why)

    def _over(self, message: Mapping[str, Any]) -> ProgramOutput:
        """Its own `subtype` says success also where nothing was done; these three do not."""
        deferred = message.get("deferred_tool_use")
        self.told.over = True
        self.told.text = str(message.get("result") or "")
        if deferred:
            self.told.asked = Operation(deferred["name"], deferred["input"])
        elif self.told.asked:  # it was told to wait and did not
            self.told.is_error, self.told.text = True, "it went on although it was told to wait"
        reason = message.get("terminal_reason", "completed")
        if not deferred:
            self.told.is_error |= bool(message.get("is_error")) or reason != "completed"
            self.told.text = self.told.text or (f"it ended because of {reason}" if self.told.is_error else "")
        return ProgramOutput(over=True)


def _steps(message: Mapping[str, Any]):
    content = message["message"].get("content")
    for block in content if isinstance(content, list) else []:
        match block.get("type"):
            case "text" if message["type"] == "assistant":
                yield CodingStep.of("said", block["text"])
            case "tool_use":
                yield CodingStep.of("did", Operation(block["name"], block["input"]).says, block["name"])
            case "tool_result":
                yield CodingStep.of("got", text_of(block.get("content")))


def _answered(message: Mapping[str, Any], said: Mapping[str, Any]) -> bytes:
    response = {"subtype": "success", "request_id": message["request_id"], "response": said}
    return line_of({"type": "control_response", "response": response})


@cache
def _bundled() -> Path | None:
    """Found without importing the SDK: only its program is wanted."""
    spec = importlib.util.find_spec("claude_agent_sdk")
    program = Path(spec.origin).parent / "_bundled" / "claude" if spec and spec.origin else None
    return program if program and program.is_file() else None
