"""A provider whose answers the test writes, on the Anthropic and the OpenAI wire, streamed or not, behind the real adapters."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx2

from hq.agents.session_services import SessionServices
from hq.engine.sessions.leases import Leases
from hq.minds.service import Minds
from hq.sessions.runner import Runner
from tests.support.message_order import checked
from tests.support.play import house  # noqa: F401
from tests.support.supervised import Supervised

WIRES = {"anthropic": ("anthropic", "claude-sonnet-5-5"), "chat": ("compatible", "any-model")}
CHAT_STOPS = {
    "end_turn": "stop", "max_tokens": "length", "refusal": "content_filter", "tool_use": "tool_calls",
}  # fmt: skip


@dataclass(frozen=True)
class Line:
    """One answer, in Anthropic's words for how it ends."""

    text: str = ""
    calls: Sequence[tuple[str, Any]] = ()
    """Each tool with its arguments; a string is sent as it is."""
    stop: str | None = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    """The stream ends in the middle."""
    away: bool = False
    """Nobody is there."""
    ids: str = ""
    """How the ids of its calls begin; otherwise no two are the same."""
    one_id: bool = False
    """All its calls have the same."""
    uncounted: bool = False
    """On the chat wire: what it took is not said."""

    @property
    def stops(self) -> str:
        return self.stop or ("tool_use" if self.calls else "end_turn")


@dataclass
class ProviderByHand:
    """Answers requests one by one; the last line stands for all that come after."""

    lines: list[Line] | Callable[[dict[str, Any]], Line]
    bodies: list[dict[str, Any]] = field(default_factory=list)
    counts: Callable[[dict[str, Any]], dict[str, int]] = lambda body: {"input_tokens": 100, "output_tokens": 10}
    """What a request is said to have used, in Anthropic's words; on the chat wire without a word of a cache."""

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        self.bodies.append(body)
        if wrong := checked(body, request.url.path):
            told = {"type": "error", "error": {"type": "invalid_request_error", "message": wrong, "param": "messages"}}
            return httpx2.Response(400, json=told)
        line = self.lines(body) if callable(self.lines) else self.lines[min(len(self.bodies), len(self.lines)) - 1]
        if line.away:
            raise httpx2.ConnectError("connection refused", request=request)
        if line.status != 200:
            told = {"type": "error", "error": {"type": "x", "message": "bad weather"}}
            return httpx2.Response(line.status, json=told, headers=line.headers)
        wire = AnthropicWire if request.url.path.endswith("/messages") else ChatWire
        whole = wire(line, f"{line.ids or len(self.bodies)}")
        whole.usage = self.counts(body)
        if not body.get("stream"):
            return httpx2.Response(200, json=whole.message())
        data = b"".join(whole.events())
        return httpx2.Response(
            200, content=data[: len(data) // 2] if line.cut else data, headers={"content-type": "text/event-stream"}
        )

    @property
    def last(self) -> str:
        """All that was said in the last request."""
        return json.dumps(self.bodies[-1]["messages"], ensure_ascii=False)


@dataclass
class AnthropicWire:
    line: Line
    number: str
    usage: dict[str, int] = field(default_factory=dict)

    def message(self) -> dict[str, Any]:
        said = [{"type": "text", "text": self.line.text}] if self.line.text else []
        called = [
            {
                "type": "tool_use",
                "id": f"toolu_{self.number}_{0 if self.line.one_id else n}",
                "name": name,
                "input": _object(given),
            }
            for n, (name, given) in enumerate(self.line.calls)
        ]
        return {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "x", "content": [*said, *called],
            "stop_reason": self.line.stops, "stop_sequence": None, "usage": self.usage,
        }  # fmt: skip

    def events(self) -> list[bytes]:
        whole = self.message()
        found = [self._event("message_start", message=whole | {"content": [], "stop_reason": None})]
        for index, block in enumerate(whole["content"]):
            if block["type"] == "text":
                start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
            else:
                given = self.line.calls[index - bool(self.line.text)][1]
                start, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": _text(given)}
            found.append(self._event("content_block_start", index=index, content_block=start))
            found.append(self._event("content_block_delta", index=index, delta=delta))
            found.append(self._event("content_block_stop", index=index))
        ended = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        return [*found, self._event("message_delta", delta=ended, usage=whole["usage"]), self._event("message_stop")]

    def _event(self, name: str, **data: Any) -> bytes:
        return f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode()


@dataclass
class ChatWire:
    line: Line
    number: str
    usage: dict[str, int] = field(default_factory=dict)

    def _called(self) -> list[dict[str, Any]]:
        return [
            {
                "id": f"call_{self.number}_{0 if self.line.one_id else n}",
                "type": "function",
                "function": {"name": name, "arguments": _text(given)},
            }
            for n, (name, given) in enumerate(self.line.calls)
        ]

    def message(self) -> dict[str, Any]:
        said = {"role": "assistant", "content": self.line.text or None}
        message = said | ({"tool_calls": self._called()} if self.line.calls else {})
        return self._base("chat.completion", {"message": message, "finish_reason": self._stop}) | self._told_usage

    def events(self) -> list[bytes]:
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": self.line.text}]
        deltas += [{"tool_calls": [{"index": n, **call}]} for n, call in enumerate(self._called())]
        chunks = [self._base("chat.completion.chunk", {"delta": delta, "finish_reason": None}) for delta in deltas]
        chunks.append(self._base("chat.completion.chunk", {"delta": {}, "finish_reason": self._stop}))
        chunks += [] if self.line.uncounted else [chunks[-1] | {"choices": [], "usage": self._usage}]
        return [*(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks), b"data: [DONE]\n\n"]

    @property
    def _stop(self) -> str:
        return CHAT_STOPS[self.line.stops]

    @property
    def _told_usage(self) -> dict[str, Any]:
        return {} if self.line.uncounted else {"usage": self._usage}

    @property
    def _usage(self) -> dict[str, int]:
        into, out = self.usage["input_tokens"], self.usage["output_tokens"]
        return {"prompt_tokens": into, "completion_tokens": out, "total_tokens": into + out}

    def _base(self, kind: str, choice: dict[str, Any]) -> dict[str, Any]:
        return {"id": "c1", "object": kind, "created": 1, "model": "x", "choices": [{"index": 0, **choice}]}


def _object(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    try:
        return json.loads(given)
    except ValueError:
        return {}  # as the provider does where it could not finish it


def _text(given: Any) -> str:
    return given if isinstance(given, str) else json.dumps(given)


@dataclass
class Answered:
    """A house whose agents are answered by hand."""

    house: Supervised
    provider: ProviderByHand

    @property
    def hq(self) -> Any:
        return self.house.hq

    async def say(self, text: str, agent: str = "chief") -> str:
        return (await self.hq.do("chat.say", agent=agent, text=text))["session"]

    async def work(self, times: int = 1) -> None:
        """Whoever may go on does, until all lie down."""
        for _ in range(times):
            await self.house.settle()
            await route(self.hq)
            services = SessionServices(self.hq.door, self.hq.door.services[Minds])
            runner = Runner(services, self.hq.address.app_url, Leases(self.hq.door.pool, self.hq.clock))
            while await runner.run_once():
                pass

    async def lines(self, agent: str = "chief") -> list[tuple[str, str]]:
        told = (await self.hq.do("chat.history", agent=agent))["items"]
        return [(each["role"], each["text"]) for each in told]

    async def calls(self) -> list[dict[str, Any]]:
        """The call log, oldest first."""
        return (await self.hq.do("cost.calls"))["items"][::-1]


async def route(hq: Any) -> None:
    from tests.support.play import route as routed

    await routed(hq)


async def answered_by_hand(house: Supervised, lines: Any, wire: str = "anthropic", **more: Any) -> Answered:  # noqa: F811
    provider = ProviderByHand(lines)
    minds: Minds = house.hq.door.services[Minds]
    minds._http = httpx2.AsyncClient(transport=httpx2.MockTransport(provider))
    minds._env = {"ANTHROPIC_API_KEY": "sk-ant-test-0123456789"}
    minds._pause = _at_once
    name, model = WIRES[wire]
    await house.hq.do("mind.set", name="model", provider=name, model=model, base_url="http://models.example/v1", **more)
    return Answered(house, provider)


async def _at_once(seconds: float) -> None:
    return None
