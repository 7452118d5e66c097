"""A cast: several minds in one, the agent's and its workers'."""

from __future__ import annotations

import json

from pydantic_ai.messages import ModelResponse

from tests.support.play import Told


def spawn(task: str, **more) -> tuple[str, dict]:
    return ("hq_worker", {"action": "spawn", "task": task, **more})


def wait(*workers: str, **more) -> tuple[str, dict]:
    return ("hq_worker", {"action": "wait", "workers": list(workers), **more})


class Cast(Told):
    """Several minds in one: the worker's lines for a worker, the agent's for its spawner."""

    def __init__(self, agent, worker) -> None:
        super().__init__(lambda ask: self._line(ask, worker if _is_worker(ask) else agent))

    @staticmethod
    def _line(ask, lines):
        turn = sum(isinstance(message, ModelResponse) for message in ask.messages)
        said = lines[min(turn, len(lines) - 1)]
        return said(ask) if callable(said) else said


def _is_worker(ask) -> bool:
    return ask.instructions.startswith("You are a worker")


def spawned(ask) -> list[str]:
    """The names of the workers that were spawned so far, as the mind reads them."""
    contents = [part.content for m in ask.messages for part in m.parts if part.part_kind == "tool-return"]
    return [told["data"]["worker"] for told in map(json.loads, contents) if "worker" in told.get("data", {})]
