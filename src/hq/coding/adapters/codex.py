"""OpenAI's Codex, spoken to through its app server: JSON-RPC, one message a line.

`codex exec` cannot stop to be asked; the app server asks before each command and each change of a file. Where somebody has
to be asked first, the turn is cancelled and the program ends, with the conversation on the disk. Resumed, it is told what
was decided; a yes is good for that very operation, so it has to want the same again.
"""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
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
)
from hq.json_types import WireBody
from hq.sandbox import Shared

INSIDE = "/opt/codex"
OURS = Path(sys.prefix) / "codex" / "node_modules" / "@openai" / "codex"
"""Where `scripts/codex` puts it."""
MODEL = "hq"
"""None of its own models: for those it offers tools that only OpenAI's server can explain to them. Which model answers is hq's."""
START = 'mkdir -p "$CODEX_HOME" && cd "$CODEX_HOME" && find . -mindepth 1 -maxdepth 1 {kept} -exec rm -rf {{}} + && cd "$OLDPWD" && exec "$0" "$@"'.format(
    kept="! -name sessions ! -name '*.sqlite*'"
)
"""Of its own directory only the conversation stays: settings, rules and servers that a program left there are not its own."""
OFF = (
    "analytics.enabled=false",
    "check_for_update_on_startup=false",
    'web_search="disabled"',
    "skills.bundled.enabled=false",
    "include_permissions_instructions=false",
    "features={apps=false,goals=false,hooks=false,image_generation=false,memories=false,multi_agent=false,plugins=false,"
    "remote_plugin=false,shell_snapshot=false,skill_search=false,sleep_tool=false,tool_suggest=false,unified_exec_tty=false,view_image=false}",
    'projects={"/mission"={trust_level="untrusted"}}',
)
"""It calls nobody but the model, has no helpers that nobody sees, and takes no orders from a `.codex` among the mission's files:
unless told otherwise it would trust them, and start the servers they name."""
ALLOWED = (
    "You stopped before this operation. It is allowed now, once and exactly as it is. Do it, then go on:\n\n{says}"
)
REFUSED = "You stopped before this operation. It is not allowed: {why}\n\n{says}\n\nGo on without it."


class Codex:
    name = "codex"
    to_install = "`npm install --global @openai/codex`"

    def __init__(self, places: str | None = None) -> None:
        self._places = places

    def program(self) -> Path | None:
        """The program itself, not the script in front of it, which would need node."""
        if self._places is None and (ours := _native(OURS)):
            return ours
        found = shutil.which("codex", path=self._places)
        if not found:
            return None
        real = Path(found).resolve()
        return _native(real.parent.parent) if real.suffix == ".js" else real

    def kept(self, home: Path, conversation: str) -> bool:
        return any((home / f"codex-{conversation}").rglob("*.jsonl"))

    def command(self, order: Order) -> Command:
        program = self.program()
        assert program
        packed = program.parent.parent
        whole = (packed / "codex-package.json").is_file()
        shared = Shared(packed, INSIDE) if whole else Shared(program, f"{INSIDE}/bin/codex")
        provider: dict[str, str | int] = {
            "name": "hq",
            "base_url": f"{order.url}/v1",
            "wire_api": "responses",
            "env_key": "MODEL_KEY",
        }
        provider |= dict.fromkeys(("request_max_retries", "stream_max_retries"), 2)
        settings = [*OFF, 'model_provider="hq"', f"model_providers.hq={_table(provider)}"]
        options = [word for setting in settings for word in ("-c", setting)]
        argv = ["/bin/sh", "-c", START, f"{INSIDE}/bin/codex", "app-server", *options]
        # One directory for each run: what is in it is the conversation to go on with, also where nobody learned its name.
        env = {"CODEX_HOME": f"{HOME}/codex-{order.conversation}", "MODEL_KEY": order.key}
        return Command(argv, env, [shared], _begin(order))

    def talk(self, order: Order) -> CodexTalk:
        return CodexTalk(order)


def _begin(order: Order) -> bytes:
    said = line_of({"id": "begin", "method": "initialize", "params": {"clientInfo": {"name": "hq", "version": "1"}}})
    said += line_of({"method": "initialized"})
    if order.resume:
        return said + line_of({"id": "found", "method": "thread/list", "params": {"limit": 1, "modelProviders": []}})
    return said + line_of({"id": "thread", "method": "thread/start", "params": _thread()})


def _thread() -> WireBody:
    """Its own sandbox is off, because it cannot build one within ours, which holds anyway. It asks about everything, in yolo
    too: told never to ask, it refuses by itself what it finds dangerous."""
    return {"model": MODEL, "cwd": "/mission", "sandbox": "danger-full-access", "approvalPolicy": "untrusted"}


def _prompt(order: Order) -> str:
    text = order.prompt
    if not text and (answered := order.answered):
        told = ALLOWED if answered.decision.what == "allow" else REFUSED
        text = told.format(says=_wanted(answered.operation), why=answered.decision.why)
    return f"{text or 'Go on.'}\n\n{PLAN}" if order.mode == "plan_only" else text or "Go on."


class CodexTalk:
    def __init__(self, order: Order) -> None:
        self.told = ProgramClaim(conversation=order.conversation)
        self._order = order
        self._started: dict[str, Mapping[str, Any]] = {}

    def heard(self, line: bytes) -> ProgramOutput:
        message = parsed(line)
        if "method" not in message:
            return self._answered(message)
        given = message.get("params") or {}
        match message["method"]:
            case "item/started":
                self._started[given["item"]["id"]] = given["item"]
            case "item/completed":
                return ProgramOutput(list(self._completed(given["item"])))
            case "turn/completed":
                return self._over(given["turn"])
            case "item/commandExecution/requestApproval":
                return self._asked(message["id"], given["itemId"], _command(given))
            case "item/fileChange/requestApproval":
                return self._asked(message["id"], given["itemId"], _patch(self._started[given["itemId"]]))
            case method if "id" in message:
                error = {"code": -32601, "message": f"nobody is here to answer {method}"}
                return ProgramOutput(answer=line_of({"id": message["id"], "error": error}))
        return ProgramOutput()

    def _answered(self, message: Mapping[str, Any]) -> ProgramOutput:
        """What came of our own requests; each leads to the next."""
        if error := message.get("error"):
            return self._failed(str(error.get("message", "")))
        result = message.get("result") or {}
        match message.get("id"):
            case "found":
                if not result["data"]:
                    return self._failed("its conversation is not there any more")
                params = {"threadId": result["data"][0]["id"], "excludeTurns": True, **_thread()}
                return ProgramOutput(answer=line_of({"id": "thread", "method": "thread/resume", "params": params}))
            case "thread":
                said = [{"type": "text", "text": _prompt(self._order)}]
                params = {"threadId": result["thread"]["id"], "input": said}
                return ProgramOutput(self._refused(), line_of({"id": "turn", "method": "turn/start", "params": params}))
        return ProgramOutput()

    def _refused(self) -> Sequence[CodingStep]:
        """What it stopped before and is now told to leave."""
        answered = self._order.answered
        if self._order.prompt or not answered or answered.decision.what != "deny":
            return ()
        return [self._denied(answered.operation, answered.decision.why)]

    def _asked(self, id_: Any, item: str, operation: Operation) -> ProgramOutput:
        decision = self._order.decide(operation)
        if decision.what == "ask" and self.told.asked:
            decision = OperationDecision("deny", "another operation waits for an answer; one at a time")
        told = {"allow": "accept", "deny": "decline", "ask": "cancel"}[decision.what]
        answer = line_of({"id": id_, "result": {"decision": told}})
        match decision.what:
            case "allow":
                return ProgramOutput(list(_did(self._started.pop(item, {}))), answer)
            case "deny":
                return ProgramOutput([self._denied(operation, decision.why)], answer)
            case "ask":
                self.told.asked = operation
                return ProgramOutput(answer=answer)

    def _denied(self, operation: Operation, why: str) -> CodingStep:
        if operation not in self.told.denied:
            self.told.denied.append(operation)
        return CodingStep.of("denied", f"{operation.says} ({why})", operation.tool)

    def _completed(self, item: Mapping[str, Any]) -> Iterator[CodingStep]:
        """Something that it did not ask about is told now, together with what came of it."""
        unasked = self._started.pop(item["id"], None)
        if item.get("status") == "declined":
            return
        if unasked:
            yield from _did(unasked)
        match item["type"]:
            case "agentMessage":
                self.told.text = str(item["text"])
                yield CodingStep.of("said", self.told.text)
            case "commandExecution":
                yield CodingStep.of("got", str(item.get("aggregatedOutput") or ""))

    def _over(self, turn: Mapping[str, Any]) -> ProgramOutput:
        status, waits = turn["status"], self.told.asked is not None
        if status == "failed":
            return self._failed(str((turn.get("error") or {}).get("message", "")))
        if waits and status != "interrupted":
            return self._failed("it went on although it was told to wait")
        if not waits and status != "completed":
            return self._failed(f"it ended because it was {status}")
        self.told.over = True
        return ProgramOutput(over=True)

    def _failed(self, why: str) -> ProgramOutput:
        self.told.over = self.told.is_error = True
        self.told.text = why or "it failed and did not say why"
        return ProgramOutput(over=True)


def _command(given: Mapping[str, Any]) -> Operation:
    """The command without the shell it is wrapped in. What is typed into a running program is no command."""
    text = str(given.get("command") or "")
    if given.get("kind", "command") != "command":
        return Operation("Type", {"command": text})
    try:
        match shlex.split(text):
            case [shell, "-lc" | "-c", inner] if shell.endswith("sh"):
                text = inner
    except ValueError:
        pass
    where = str(given.get("cwd") or "/mission")
    return Operation("Bash", {"command": text if where == "/mission" else f"cd {shlex.quote(where)} && {text}"})


def _patch(item: Mapping[str, Any]) -> Operation:
    """What of a patch is asked about: the files it takes away, where there are such."""
    changes = item["changes"]
    gone = [each["path"] for each in changes if each["kind"]["type"] == "delete"]
    return Operation("Delete" if gone else "Edit", {"path": ", ".join(gone or [each["path"] for each in changes])})


def _did(item: Mapping[str, Any]) -> Iterator[CodingStep]:
    match item.get("type"):
        case "commandExecution":
            yield CodingStep.of("did", _command(item).says, "Bash")
        case "fileChange":
            for change in item["changes"]:
                tool = {"add": "Write", "delete": "Delete"}.get(change["kind"]["type"], "Edit")
                yield CodingStep.of("did", f"{tool}: {change['path']}", tool)


def _wanted(operation: Operation) -> str:
    return str(operation.input["command"]) if operation.tool == "Bash" else operation.says


def _table(values: Mapping[str, str | int]) -> str:
    return "{" + ",".join(f"{name}={json.dumps(value)}" for name, value in values.items()) + "}"


def _native(package: Path) -> Path | None:
    """The platform's own package, within npm's or beside it."""
    for place in (package / "node_modules" / "@openai", package.parent):
        for found in sorted(place.glob("codex-*/vendor/*/bin/codex")):
            return found
    return None
