"""OpenAI's Codex, run by `codex exec` with lines of JSON. It cannot stop to be asked, so it is not run cautiously."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hq.workspace.coding.adapter import HOME, Command, Heard, Mode, Order, Step, Told, parsed

PLACES = "/usr/local/bin:/usr/bin:/bin"
"""Where it is looked for: what lies there is seen in the sandbox too."""


class Codex:
    name = "codex"
    modes: Sequence[Mode] = ("yolo", "plan_only")
    to_install = "`npm install --global @openai/codex`, with a prefix of /usr or /usr/local"

    def __init__(self, places: str = PLACES) -> None:
        self._places = places

    def program(self) -> Path | None:
        found = shutil.which("codex", path=self._places)
        return Path(found) if found else None

    def command(self, order: Order) -> Command:
        settings = {
            "model_provider": '"hq"',
            "model_providers.hq.name": '"hq"',
            "model_providers.hq.base_url": f'"{order.url}/v1"',
            "model_providers.hq.wire_api": '"responses"',
            "model_providers.hq.env_key": '"MODEL_KEY"',
            "check_for_update_on_startup": "false",
        }
        program = self.program()
        assert program
        argv = [str(program), "exec", "--json", "--skip-git-repo-check", "--model", order.model]
        # The sandbox around it is ours; its own would only be in the way, except that it keeps a plan from being acted on.
        argv += (
            ["--sandbox", "read-only"] if order.mode == "plan_only" else ["--dangerously-bypass-approvals-and-sandbox"]
        )
        for name, value in settings.items():
            argv += ["--config", f"{name}={value}"]
        argv += ["resume", order.conversation] if order.resume else []
        env = {"CODEX_HOME": f"{HOME}/.codex", "MODEL_KEY": order.key}
        return Command([*argv, "-"], env, stdin=(order.prompt or "Go on.").encode(), talks=False)

    def talk(self, order: Order) -> CodexTalk:
        return CodexTalk(order)


class CodexTalk:
    def __init__(self, order: Order) -> None:
        self.told = Told(conversation=order.conversation)

    def heard(self, line: bytes) -> Heard:
        message = parsed(line)
        match message.get("type"):
            case "thread.started":
                self.told.conversation = str(message.get("thread_id", ""))
            case "item.completed":
                return Heard([step] if (step := self._step(message.get("item") or {})) else [])
            case "turn.completed":
                self.told.over = True
            case "turn.failed" | "error":
                self.told.is_error = True
                self.told.text = _complaint(message)
        return Heard()

    def _step(self, item: Mapping[str, Any]) -> Step | None:
        match item.get("type"):
            case "agent_message":
                self.told.text = str(item.get("text", ""))
                return Step.of("said", self.told.text)
            case "command_execution":
                return Step.of("did", f"Bash: {item.get('command', '')}", "Bash")
            case "file_change":
                paths = ", ".join(str(change.get("path", "")) for change in item.get("changes") or [])
                return Step.of("did", f"Edit: {paths}", "Edit")
        return None


def _complaint(message: Mapping[str, Any]) -> str:
    error = message.get("error")
    return str(error.get("message", "") if isinstance(error, dict) else message.get("message", "")) or "it failed"
