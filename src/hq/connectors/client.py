"""Talking to another MCP server: connect, list, call, with a time limit on each and secrets in nobody's sight.

`mcp` is loaded when a connector is used, not before: it costs more than the rest of hq to import.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import UUID

from hq import __version__
from hq.connectors.definition import McpToolDefinition, kept
from hq.connectors.program import MOST_HEARD, LastWords, Programs
from hq.errors import HqError, Outage, Refused
from hq.json_types import CallArgs

if TYPE_CHECKING:
    import httpx2
    from mcp import Client
    from mcp_types import ElicitResult

MOST_TOOLS = 200
MOST_TEXT = 100_000
SHORTEST = 4
"""A secret with fewer characters stands in every other word and is not blotted out."""


@dataclass(frozen=True)
class ConnectorTarget:
    """Where a connector leads, with its secrets opened; those never show."""

    owner: UUID
    """The company: no other one ever gets the same session."""
    name: str
    command: tuple[str, ...]
    url: str | None
    timeout: float
    env: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    network: bool = True
    domains: tuple[str, ...] = ()
    """Where its program may go: nowhere, to every public address, or to these."""

    def redacted(self, text: str) -> str:
        for _, secret in (*self.env, *self.headers):
            for known in (secret, secret.removeprefix("Bearer ")):
                if len(known) >= SHORTEST:
                    text = text.replace(known, "…")
        return text

    def cleaned(self, value: Any) -> Any:
        """What came back, without our secrets, which a server may repeat, and without what cannot be stored."""
        if isinstance(value, str):
            return self.redacted(value).replace("\0", "\ufffd")
        if isinstance(value, dict):
            return {self.cleaned(key): self.cleaned(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.cleaned(inner) for inner in value]
        return value


@dataclass(frozen=True)
class ToolAnswer:
    """What a tool said: text as far as it goes, and the same in structured form where it gave one."""

    text: str
    structured: Any
    is_error: bool
    truncated: bool


@asynccontextmanager
async def connected(target: ConnectorTarget, programs: Programs) -> AsyncIterator[Client]:
    """A session with the server. What fails on the way in is refused: nothing has been done there yet."""
    stack, said = AsyncExitStack(), LastWords()
    try:
        try:
            async with asyncio.timeout(target.timeout):
                client = await stack.enter_async_context(await _client(target, programs, stack, said))
        except Exception as error:
            with suppress(Exception):  # what it said last is known once it has ended
                await stack.aclose()
            raise unreachable(target, error, said.line) from None
        yield client
    finally:
        with suppress(Exception):  # how the line was hung up says nothing about what was answered on it
            await stack.aclose()


async def _client(target: ConnectorTarget, programs: Programs, stack: AsyncExitStack, said: LastWords) -> Client:
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client
    from mcp_types import Implementation

    if target.url:
        http = await stack.enter_async_context(_http(target))
        transport = streamable_http_client(target.url, http_client=http)
    else:
        transport = programs.started(target, said)
    info = Implementation(name="hq", version=__version__)
    return Client(
        transport, client_info=info, read_timeout_seconds=target.timeout, elicitation_callback=_decline, cache=None
    )


def _http(target: ConnectorTarget) -> httpx2.AsyncClient:
    import httpx2

    class Bounded(httpx2.AsyncByteStream):
        """An answer that is read only so far."""

        def __init__(self, whole: Any) -> None:
            self._whole = whole

        async def __aiter__(self) -> AsyncIterator[bytes]:
            left = MOST_HEARD
            async for chunk in self._whole:
                left -= len(chunk)
                if left < 0:
                    raise httpx2.ReadError("it said more than anybody can hear")
                yield chunk

        async def aclose(self) -> None:
            await self._whole.aclose()

    async def bound(response: httpx2.Response) -> None:
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise httpx2.ReadError("it compresses its answer, which nobody asked for")
        response.stream = Bounded(response.stream)

    return httpx2.AsyncClient(
        headers={**dict(target.headers), "accept-encoding": "identity"},
        timeout=httpx2.Timeout(target.timeout),
        event_hooks={"response": [bound]},
    )


async def _decline(context: Any, params: Any) -> ElicitResult:
    """A server that asks back gets a no: nobody sits here, and a stranger's form is filled in by no machine."""
    from mcp_types import ElicitResult

    return ElicitResult(action="decline")


async def offered(client: Client, target: ConnectorTarget) -> dict[str, McpToolDefinition]:
    """What the server offers now, by name."""
    found: dict[str, McpToolDefinition] = {}
    cursor: str | None = None
    try:
        async with asyncio.timeout(target.timeout):
            while True:
                page = await client.list_tools(cursor=cursor)
                for tool in page.tools:
                    definition = kept(tool.model_dump(mode="json", by_alias=True, exclude_none=True))
                    found[definition["name"]] = definition
                cursor = page.next_cursor
                if len(found) > MOST_TOOLS:
                    raise Refused.invalid(f"{target.name} offers more than {MOST_TOOLS} tools")
                if not cursor:
                    return found
    except HqError:
        raise
    except Exception as error:
        raise unreachable(target, error) from None


async def call(client: Client, target: ConnectorTarget, tool: str, args: CallArgs) -> ToolAnswer:
    """Make the call. From here on nobody knows what was done if no answer comes."""
    from mcp.shared.exceptions import MCPError
    from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT

    try:
        async with asyncio.timeout(target.timeout):
            result = await client.call_tool(tool, args)
    except TimeoutError:
        raise _unanswered(target, tool, f"no answer within {target.timeout:g} s") from None
    except MCPError as error:
        if error.code in (CONNECTION_CLOSED, REQUEST_TIMEOUT):
            raise _unanswered(target, tool, "the connection ended") from None
        return ToolAnswer(target.cleaned(error.message)[:1000], None, is_error=True, truncated=False)
    except Exception as error:
        raise _unanswered(target, tool, _cause(error)) from None
    text = "\n\n".join(_text(block) for block in result.content)
    fits = len(str(result.structured_content)) <= MOST_TEXT
    return ToolAnswer(
        target.cleaned(text)[:MOST_TEXT],
        target.cleaned(result.structured_content) if fits else None,
        is_error=bool(result.is_error),
        truncated=len(text) > MOST_TEXT or not fits,
    )


def _text(block: Any) -> str:
    """A block of content as text; pictures and sound are named, not carried."""
    match block.type:
        case "text":
            return block.text
        case "image" | "audio":
            return f"[{block.type} {block.mime_type}, {len(block.data) * 3 // 4} bytes]"
        case "resource":
            return getattr(block.resource, "text", None) or f"[resource {block.resource.uri}]"
        case _:
            return f"[{block.type} {getattr(block, 'uri', '')}]"


def unreachable(target: ConnectorTarget, error: Exception, said: str = "") -> HqError:
    if isinstance(error, HqError):
        return error
    hint = f"`hq connector test {target.name}` tries it again"
    if target.command and (isinstance(error, FileNotFoundError) or said.startswith("prlimit: failed to execute")):
        why, said = f"there is no program {target.command[0]!r}", ""
        hint = "in the sandbox it sees the system's own programs and what HQ_CONNECTOR_PATHS names"
    else:
        why = "no answer in time" if isinstance(error, TimeoutError) else _cause(error)
    if said:
        why += f"; it said: {said}"
    # An outage that is known to have done nothing, so the call may be tried again under its key.
    return Refused(target.redacted(f"the connector {target.name} cannot be reached: {why}"), code="outage", hint=hint)


def in_our_words(error: HqError, name: str, tool: str) -> HqError:
    """The same without what the server or its program said of it: an agent would read that unmarked."""
    match error:
        case Outage():
            return Outage(f"{name} was asked for {tool} and gave no usable answer; check there before repeating it")
        case Refused() if error.code.name == "outage":
            return Refused(f"the connector {name} cannot be reached", code="outage", hint=error.hint)
    return error


def _unanswered(target: ConnectorTarget, tool: str, why: str) -> Outage:
    return Outage(
        target.redacted(
            f"{target.name} was asked for {tool} and gave no usable answer ({why}); check there before repeating it"
        )
    )


def _cause(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {str(error)[:300]}".rstrip(": ")
