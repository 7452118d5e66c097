"""hq's own MCP server with the fixtures the official conformance suite asks for beside what hq offers.

Everything that is not named here (transport, guard, credentials, sessions, tools, resources, prompts) is the product's.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as t
from mcp.server.streamable_http import EventMessage, EventStore
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, PromptsListChanged, ToolsListChanged
from mcp.shared.exceptions import MCPError

from hq.mcp.server import Context, HqServer

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
SILENCE = base64.b64encode(
    b"RIFF&\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0@\x1f\0\0\x80>\0\0\x02\0\x10\0data\x02\0\0\0\0\0"
).decode()
NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
OK = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
COLOUR = {"type": "object", "properties": {"color": {"type": "string"}}, "required": ["color"]}
DEFAULTS = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    },
}
ENUMS = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {
            "type": "string",
            "oneOf": [{"const": f"value{n}", "title": f"Option {n}"} for n in (1, 2, 3)],
        },
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
        "titledMulti": {
            "type": "array",
            "items": {"anyOf": [{"const": f"value{n}", "title": f"Choice {n}"} for n in (1, 2, 3)]},
        },
    },
}
FULL_SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}

Params = t.CallToolRequestParams
Fixture = Callable[["Everything", Context, Params], Awaitable[Any]]
FIXTURES: dict[str, tuple[dict[str, Any], Fixture]] = {}


def fixture(
    properties: Mapping[str, Any] | None = None, schema: dict[str, Any] | None = None
) -> Callable[[Fixture], Fixture]:
    def keep(made: Fixture) -> Fixture:
        FIXTURES[made.__name__] = (schema or {"type": "object", "properties": dict(properties or {})}, made)
        return made

    return keep


class Kept(EventStore):
    """What was sent on streams, so that a cut one can be taken up again."""

    def __init__(self) -> None:
        self._events: list[tuple[str, t.JSONRPCMessage | None]] = []

    async def store_event(self, stream_id: str, message: t.JSONRPCMessage | None) -> str:
        self._events.append((stream_id, message))
        return str(len(self._events))

    async def replay_events_after(self, last_event_id: str, send_callback: Any) -> str | None:
        position = int(last_event_id)
        if not 0 < position <= len(self._events):
            return None
        stream = self._events[position - 1][0]
        for number, (of, message) in enumerate(self._events[position:], position + 1):
            if of == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


class Everything(HqServer):
    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.events = Kept()
        self.bus = InMemorySubscriptionBus()
        for method, params in (
            ("resources/subscribe", t.SubscribeRequestParams),
            ("resources/unsubscribe", t.UnsubscribeRequestParams),
        ):
            self.server.add_request_handler(method, params, _nothing)
        self.server.add_request_handler(
            "subscriptions/listen", t.SubscriptionsListenRequestParams, ListenHandler(self.bus)
        )

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        return FIXTURES[name][0] if name in FIXTURES else super().input_schema(name)

    async def list_tools(self, ctx: Context, params: t.PaginatedRequestParams | None) -> t.ListToolsResult:
        ours = await super().list_tools(ctx, params)
        more = [t.Tool(name=n, description=f"Fixture {n}.", input_schema=s) for n, (s, _) in FIXTURES.items()]
        return t.ListToolsResult(tools=[*ours.tools, *more])

    async def call_tool(self, ctx: Context, params: Params) -> Any:
        if params.name not in FIXTURES:
            return await super().call_tool(ctx, params)
        try:
            said = await FIXTURES[params.name][1](self, ctx, params)
        except MCPError:
            raise
        except Exception as error:
            return t.CallToolResult(content=[_text(str(error))], is_error=True)
        if isinstance(said, str):
            said = [_text(said)]
        return t.CallToolResult(content=said) if isinstance(said, list) else said

    async def list_resources(self, ctx: Context, params: Any) -> t.ListResourcesResult:
        ours = await super().list_resources(ctx, params)
        more = [
            t.Resource(uri=f"test://{name}", name=name) for name in ("static-text", "static-binary", "watched-resource")
        ]
        return t.ListResourcesResult(resources=[*ours.resources, *more], next_cursor=ours.next_cursor)

    async def list_templates(self, ctx: Context, params: Any) -> t.ListResourceTemplatesResult:
        ours = await super().list_templates(ctx, params)
        more = t.ResourceTemplate(uri_template="test://template/{id}/data", name="template")
        return t.ListResourceTemplatesResult(resource_templates=[*ours.resource_templates, more])

    async def read_resource(self, ctx: Context, params: t.ReadResourceRequestParams) -> Any:
        uri = str(params.uri)
        if uri in ("test://static-text", "test://watched-resource"):
            text = "This is the content of the static text resource."
            found: Any = t.TextResourceContents(uri=uri, mime_type="text/plain", text=text)
        elif uri == "test://static-binary":
            found = t.BlobResourceContents(uri=uri, mime_type="image/png", blob=PIXEL)
        elif uri.startswith("test://template/"):
            name = uri.split("/")[3]
            said = json.dumps({"id": name, "templateTest": True, "data": f"Data for ID: {name}"})
            found = t.TextResourceContents(uri=uri, mime_type="application/json", text=said)
        else:
            return await super().read_resource(ctx, params)
        return t.ReadResourceResult(contents=[found])

    async def list_prompts(self, ctx: Context, params: Any) -> t.ListPromptsResult:
        ours = await super().list_prompts(ctx, params)
        more = [
            t.Prompt(
                name=name, description=name, arguments=[t.PromptArgument(name=a, required=True) for a in arguments]
            )
            for name, arguments in (
                ("test_simple_prompt", ()),
                ("test_prompt_with_arguments", ("arg1", "arg2")),
                ("test_prompt_with_embedded_resource", ("resourceUri",)),
                ("test_prompt_with_image", ()),
                ("test_input_required_result_prompt", ()),
            )
        ]
        return t.ListPromptsResult(prompts=[*ours.prompts, *more])

    async def get_prompt(self, ctx: Context, params: t.GetPromptRequestParams) -> Any:
        given = params.arguments or {}
        match params.name:
            case "test_simple_prompt":
                return _messages(_text("This is a simple prompt for testing."))
            case "test_prompt_with_arguments":
                return _messages(_text(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'"))
            case "test_prompt_with_embedded_resource":
                return _messages(
                    _embedded(given["resourceUri"], "Embedded resource content for testing."), _text("See above.")
                )
            case "test_prompt_with_image":
                return _messages(_image(), _text("Please analyze the image above."))
            case "test_input_required_result_prompt":
                if (answer := _answer(params, "user_context")) is not None:
                    return _messages(_text(f"Use this: {answer}"))
                wanted = {"type": "object", "properties": {"context": {"type": "string"}}, "required": ["context"]}
                return t.InputRequiredResult(input_requests={"user_context": _elicit("Which context?", wanted)})
        return await super().get_prompt(ctx, params)


@fixture()
async def test_simple_text(self: Everything, ctx: Context, params: Params) -> Any:
    return "This is a simple text response for testing."


@fixture()
async def test_image_content(self: Everything, ctx: Context, params: Params) -> Any:
    return [_image()]


@fixture()
async def test_audio_content(self: Everything, ctx: Context, params: Params) -> Any:
    return [t.AudioContent(type="audio", data=SILENCE, mime_type="audio/wav")]


@fixture()
async def test_embedded_resource(self: Everything, ctx: Context, params: Params) -> Any:
    return [_embedded("test://embedded-resource", "This is an embedded resource content.")]


@fixture()
async def test_multiple_content_types(self: Everything, ctx: Context, params: Params) -> Any:
    return [
        _text("Multiple content types test:"),
        _image(),
        _embedded("test://mixed-content-resource", '{"test": "data", "value": 123}', "application/json"),
    ]


@fixture()
async def test_tool_with_logging(self: Everything, ctx: Context, params: Params) -> Any:
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.session.send_log_message("info", words, related_request_id=ctx.request_id)
        await asyncio.sleep(0.05)
    return "done"


@fixture()
async def test_logging_tool(self: Everything, ctx: Context, params: Params) -> Any:
    await ctx.session.send_log_message("info", "said only to who asked", related_request_id=ctx.request_id)
    return "done"


@fixture()
async def test_streaming_elicitation(self: Everything, ctx: Context, params: Params) -> Any:
    await ctx.session.report_progress(1, 2, "halfway")
    return t.InputRequiredResult(input_requests={"user_name": _elicit("What is your name?")})


@fixture()
async def test_tool_with_progress(self: Everything, ctx: Context, params: Params) -> Any:
    for share in (0, 50, 100):
        await ctx.session.report_progress(share, 100, f"Completed step {share} of 100")
        await asyncio.sleep(0.05)
    return "done"


@fixture()
async def test_error_handling(self: Everything, ctx: Context, params: Params) -> Any:
    raise RuntimeError("This tool intentionally returns an error for testing")


@fixture({"prompt": {"type": "string"}})
async def test_sampling(self: Everything, ctx: Context, params: Params) -> Any:
    answer = await ctx.session.create_message(
        [_sample((params.arguments or {})["prompt"])], max_tokens=100, related_request_id=ctx.request_id
    )
    return f"LLM response: {getattr(answer.content, 'text', '')}"


@fixture({"message": {"type": "string"}})
async def test_elicitation(self: Everything, ctx: Context, params: Params) -> Any:
    wanted = {"type": "object", "properties": {"response": {"type": "string"}}, "required": ["response"]}
    answer = await ctx.session.elicit((params.arguments or {})["message"], wanted, ctx.request_id)
    return f"User response: action={answer.action}, content={json.dumps(answer.content)}"


@fixture()
async def test_elicitation_sep1034_defaults(self: Everything, ctx: Context, params: Params) -> Any:
    answer = await ctx.session.elicit("Please provide user information", DEFAULTS, ctx.request_id)
    return f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content)}"


@fixture()
async def test_elicitation_sep1330_enums(self: Everything, ctx: Context, params: Params) -> Any:
    answer = await ctx.session.elicit("Please choose", ENUMS, ctx.request_id)
    return f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content)}"


@fixture()
async def test_missing_capability(self: Everything, ctx: Context, params: Params) -> Any:
    capabilities = ctx.session.client_capabilities
    if capabilities is None or capabilities.sampling is None:
        raise MCPError(
            code=t.MISSING_REQUIRED_CLIENT_CAPABILITY,
            message="This tool needs a client that can sample",
            data={"requiredCapabilities": {"sampling": {}}},
        )
    return "The client can sample."


@fixture({"region": {"type": "string", "x-mcp-header": "Region"}})
async def test_x_mcp_header(self: Everything, ctx: Context, params: Params) -> Any:
    return f"region={(params.arguments or {}).get('region')}"


@fixture(schema=FULL_SCHEMA)
async def json_schema_2020_12_tool(self: Everything, ctx: Context, params: Params) -> Any:
    return "kept as it is"


@fixture()
async def test_reconnection(self: Everything, ctx: Context, params: Params) -> Any:
    if ctx.close_sse_stream:
        await ctx.close_sse_stream()
    await asyncio.sleep(0.2)
    return "Reconnection test completed"


@fixture()
async def test_trigger_tool_change(self: Everything, ctx: Context, params: Params) -> Any:
    await self.bus.publish(ToolsListChanged())
    return "told"


@fixture()
async def test_trigger_prompt_change(self: Everything, ctx: Context, params: Params) -> Any:
    await self.bus.publish(PromptsListChanged())
    return "told"


@fixture()
async def test_input_required_result_elicitation(self: Everything, ctx: Context, params: Params) -> Any:
    if (answer := _answer(params, "user_name")) is not None:
        return f"Hello, {answer.get('name')}!"
    return t.InputRequiredResult(input_requests={"user_name": _elicit("What is your name?")})


@fixture()
async def test_input_required_result_sampling(self: Everything, ctx: Context, params: Params) -> Any:
    answer = (params.input_responses or {}).get("capital_question")
    if isinstance(answer, t.CreateMessageResult):
        return f"Model said: {getattr(answer.content, 'text', '')}"
    return t.InputRequiredResult(input_requests={"capital_question": _sampled("What is the capital of France?")})


@fixture()
async def test_input_required_result_list_roots(self: Everything, ctx: Context, params: Params) -> Any:
    answer = (params.input_responses or {}).get("client_roots")
    if isinstance(answer, t.ListRootsResult):
        return f"{len(answer.roots)} roots"
    return t.InputRequiredResult(input_requests={"client_roots": t.ListRootsRequest()})


@fixture()
async def test_input_required_result_request_state(self: Everything, ctx: Context, params: Params) -> Any:
    if _answer(params, "confirm") is not None and params.request_state == "a-state":
        return "state-ok: confirmed"
    return t.InputRequiredResult(input_requests={"confirm": _elicit("Please confirm", OK)}, request_state="a-state")


@fixture()
async def test_input_required_result_multiple_inputs(self: Everything, ctx: Context, params: Params) -> Any:
    wanted = {
        "user_name": _elicit("What is your name?"),
        "greeting": _sampled("Generate a greeting"),
        "client_roots": t.ListRootsRequest(),
    }
    if wanted.keys() <= (params.input_responses or {}).keys():
        return "All inputs received."
    return t.InputRequiredResult(input_requests=wanted, request_state="several")


@fixture()
async def test_input_required_result_multi_round(self: Everything, ctx: Context, params: Params) -> Any:
    state = json.loads(params.request_state) if params.request_state else {"round": 0}
    if state["round"] == 1 and (first := _answer(params, "step1")) is not None:
        return t.InputRequiredResult(
            input_requests={"step2": _elicit("Step 2: What is your favorite color?", COLOUR)},
            request_state=json.dumps({"round": 2, "name": first.get("name")}),
        )
    if state["round"] == 2 and (second := _answer(params, "step2")) is not None:
        return f"{state['name']} likes {second.get('color')}."
    return t.InputRequiredResult(
        input_requests={"step1": _elicit("Step 1: What is your name?")}, request_state=json.dumps({"round": 1})
    )


@fixture()
async def test_input_required_result_tampered_state(self: Everything, ctx: Context, params: Params) -> Any:
    if params.request_state is not None:
        return f"state-ok: {params.request_state}"
    return t.InputRequiredResult(input_requests={"confirm": _elicit("Please confirm", OK)}, request_state="round-1")


@fixture()
async def test_input_required_result_capabilities(self: Everything, ctx: Context, params: Params) -> Any:
    can = ctx.session.client_capabilities
    wanted: dict[str, Any] = {}
    if can is None or can.sampling is not None:
        wanted["sample"] = _sampled("Say hello")
    if can is None or can.elicitation is not None:
        wanted["ask"] = _elicit("What is your name?")
    return t.InputRequiredResult(input_requests=wanted, request_state="by capability")


async def _nothing(ctx: Context, params: Any) -> t.EmptyResult:
    return t.EmptyResult()


def _text(text: str) -> t.TextContent:
    return t.TextContent(type="text", text=text)


def _image() -> t.ImageContent:
    return t.ImageContent(type="image", data=PIXEL, mime_type="image/png")


def _embedded(uri: str, text: str, kind: str = "text/plain") -> t.EmbeddedResource:
    return t.EmbeddedResource(type="resource", resource=t.TextResourceContents(uri=uri, mime_type=kind, text=text))


def _messages(*contents: Any) -> t.GetPromptResult:
    return t.GetPromptResult(messages=[t.PromptMessage(role="user", content=content) for content in contents])


def _elicit(message: str, schema: dict[str, Any] | None = None) -> t.ElicitRequest:
    return t.ElicitRequest(params=t.ElicitRequestFormParams(message=message, requested_schema=schema or NAME))


def _sample(text: str) -> t.SamplingMessage:
    return t.SamplingMessage(role="user", content=_text(text))


def _sampled(text: str) -> t.CreateMessageRequest:
    return t.CreateMessageRequest(params=t.CreateMessageRequestParams(messages=[_sample(text)], max_tokens=100))


def _answer(params: Any, key: str) -> dict[str, Any] | None:
    answer = (params.input_responses or {}).get(key)
    return dict(answer.content or {}) if isinstance(answer, t.ElicitResult) else None
