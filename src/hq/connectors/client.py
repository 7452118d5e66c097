"""Talking to another MCP server: connect, list, call, with a time limit on each and secrets in nobody's sight.

`mcp` is loaded when a connector is used, not before: it costs more than the rest of hq to import.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import UUID

from hq import __version__
from hq.connectors.definition import Definition, kept
from hq.errors import HqError, Outage, Refused

if TYPE_CHECKING:
    from mcp import Client
    from mcp_types import ElicitResult

MOST_TOOLS = 200
MOST_TEXT = 100_000
NOT_DONE = (-32600, -32601, -32602)  # the request was not understood, so nothing was done


@dataclass(frozen=True)
class Target:
    """Where a connector leads, with its secrets opened; those never show."""

    owner: UUID
    """The company: no other one ever gets the same session."""
    name: str
    command: tuple[str, ...]
    url: str | None
    timeout: float
    env: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    def redacted(self, text: str) -> str:
        for _, secret in (*self.env, *self.headers):
            text = text.replace(secret, "…").replace(secret.removeprefix("Bearer "), "…")
        return text


@dataclass(frozen=True)
class Answer:
    """What a tool said: text as far as it goes, and the same in structured form where it gave one."""

    text: str
    structured: Any
    is_error: bool
    truncated: bool


@asynccontextmanager
async def connected(target: Target) -> AsyncIterator[Client]:
    """A session with the server. What fails on the way in is refused: nothing has been done there yet."""
    stack, complaints = AsyncExitStack(), tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115 (closed below)
    stack.push(lambda *_: complaints.close())
    try:
        try:
            async with asyncio.timeout(target.timeout):
                client = await stack.enter_async_context(await _client(target, stack, complaints))
        except Exception as error:
            raise unreachable(target, error, _last_words(complaints)) from None
        yield client
    finally:
        with suppress(Exception):  # how the line was hung up says nothing about what was answered on it
            await stack.aclose()


async def _client(target: Target, stack: AsyncExitStack, complaints: Any) -> Client:
    import httpx2
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client
    from mcp_types import Implementation

    if target.url:
        http = httpx2.AsyncClient(headers=dict(target.headers), timeout=httpx2.Timeout(target.timeout))
        await stack.enter_async_context(http)
        transport = streamable_http_client(target.url, http_client=http)
    else:
        program, *arguments = target.command
        started = StdioServerParameters(command=program, args=arguments, env=dict(target.env))
        transport = stdio_client(started, errlog=complaints)
    info = Implementation(name="hq", version=__version__)
    return Client(
        transport, client_info=info, read_timeout_seconds=target.timeout, elicitation_callback=_decline, cache=None
    )


async def _decline(context: Any, params: Any) -> ElicitResult:
    """A server that asks back gets a no: nobody sits here, and a stranger's form is filled in by no machine."""
    from mcp_types import ElicitResult

    return ElicitResult(action="decline")


async def offered(client: Client, target: Target) -> dict[str, Definition]:
    """What the server offers now, by name."""
    found: dict[str, Definition] = {}
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


async def call(client: Client, target: Target, tool: str, args: dict[str, Any]) -> Answer:
    """Make the call. From here on nobody knows what was done if no answer comes."""
    from mcp.shared.exceptions import MCPError

    try:
        async with asyncio.timeout(target.timeout):
            result = await client.call_tool(tool, args)
    except TimeoutError:
        raise _unanswered(target, tool, f"no answer within {target.timeout:g} s") from None
    except MCPError as error:
        said = target.redacted(error.message)[:1000]
        if error.code in NOT_DONE:
            raise Refused.invalid(f"{target.name} refused {tool}: {said}") from None
        return Answer(said, None, is_error=True, truncated=False)
    except Exception as error:
        raise _unanswered(target, tool, _cause(error)) from None
    text = "\n\n".join(_text(block) for block in result.content)
    return Answer(
        text[:MOST_TEXT],
        result.structured_content if len(str(result.structured_content)) <= MOST_TEXT else None,
        is_error=bool(result.is_error),
        truncated=len(text) > MOST_TEXT or len(str(result.structured_content)) > MOST_TEXT,
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


def unreachable(target: Target, error: Exception, said: str = "") -> HqError:
    if isinstance(error, HqError):
        return error
    if isinstance(error, FileNotFoundError) and target.command:
        why = f"there is no program {target.command[0]!r}"
    else:
        why = "no answer in time" if isinstance(error, TimeoutError) else _cause(error)
    if said:
        why += f"; it said: {said}"
    # An outage that is known to have done nothing, so the call may be tried again under its key.
    return Refused(
        target.redacted(f"the connector {target.name} cannot be reached: {why}"),
        code="outage",
        hint=f"`hq connector test {target.name}` tries it again",
    )


def _unanswered(target: Target, tool: str, why: str) -> Outage:
    return Outage(
        target.redacted(
            f"{target.name} was asked for {tool} and gave no usable answer ({why}); check there before repeating it"
        )
    )


def _cause(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {str(error)[:300]}".rstrip(": ")


def _last_words(complaints: Any) -> str:
    complaints.seek(0)
    lines = [line.strip() for line in complaints.read()[-2000:].splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""
