"""A request for a chat completion, as OpenAI's protocol has it, and what it asks in hq's own words."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from hq.api.openai.fields import (
    LENGTH,
    MANY,
    CommonFields,
    Effort,
    NoEffect,
    ProtocolModel,
    SaidCall,
    SaidMessage,
    SaidPart,
    Unused,
    image_of,
    only,
    tier_of,
)
from hq.api.openai.problem import invalid
from hq.json_types import CallArgs, JsonSchema


class ImageAddress(ProtocolModel):
    url: str = Field(max_length=30_000_000)
    detail: Literal["auto", "low", "high", "original"] | None = None


class TextPart(ProtocolModel):
    type: Literal["text"]
    text: str
    cache_control: NoEffect = None


class RefusalPart(ProtocolModel):
    type: Literal["refusal"]
    refusal: str


class ImagePart(ProtocolModel):
    type: Literal["image_url"]
    image_url: ImageAddress
    cache_control: NoEffect = None


Part = Annotated[TextPart | ImagePart | RefusalPart, Field(discriminator="type")]


class CalledFunction(ProtocolModel):
    name: str
    arguments: str = ""


class ToolCall(ProtocolModel):
    id: str = Field(min_length=1, max_length=200)
    type: Literal["function"] = "function"
    function: CalledFunction
    index: NoEffect = None


class ChatMessage(ProtocolModel):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[Part] | None = None
    name: str | None = Field(None, max_length=200)
    tool_calls: list[ToolCall] | None = None
    tool_call_id: str | None = Field(None, max_length=200)
    refusal: str | None = None
    annotations: NoEffect = None
    audio: Unused = None
    function_call: Unused = None
    cache_control: NoEffect = None

    @model_validator(mode="before")
    @classmethod
    def _own_words(cls, given: Any) -> Any:
        """What clients add to the assistant's own messages when they send them back is theirs, and means nothing here."""
        if not isinstance(given, dict) or given.get("role") != "assistant":
            return given
        return {name: value for name, value in given.items() if name in cls.model_fields}

    @property
    def text(self) -> str:
        return "\n".join(text for part in self.parts("") if (text := part.get("text")))

    def parts(self, where: str) -> list[SaidPart]:
        if not isinstance(self.content, list):
            text = self.content or self.refusal or ""
            return [{"text": text}] if text else []
        return [_part(part, f"{where}.content[{n}]") for n, part in enumerate(self.content)]


def _part(part: TextPart | ImagePart | RefusalPart, where: str) -> SaidPart:
    match part:
        case TextPart():
            return {"text": part.text}
        case RefusalPart():
            return {"text": part.refusal}
        case ImagePart():
            return {"image": image_of(part.image_url.url, f"{where}.image_url")}


class FunctionDefinition(ProtocolModel):
    name: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    description: str | None = None
    parameters: JsonSchema | None = None
    strict: bool | None = None


class FunctionTool(ProtocolModel):
    type: Literal["function"]
    function: FunctionDefinition
    cache_control: NoEffect = None


class NamedFunction(ProtocolModel):
    name: str


class NamedTool(ProtocolModel):
    type: Literal["function"]
    function: NamedFunction


class AllowedTools(ProtocolModel):
    mode: Literal["auto", "required"]
    tools: list[NamedTool] = Field(min_length=1, max_length=128)


class AllowedToolsChoice(ProtocolModel):
    type: Literal["allowed_tools"]
    allowed_tools: AllowedTools


ToolChoice = Annotated[NamedTool | AllowedToolsChoice, Field(discriminator="type")]


class JsonSchemaFormat(ProtocolModel):
    name: str = Field(max_length=64)
    description: str | None = None
    schema_: JsonSchema | None = Field(None, alias="schema")
    strict: bool | None = None


class ResponseFormat(ProtocolModel):
    type: Literal["text", "json_object", "json_schema"]
    json_schema: JsonSchemaFormat | None = None


class StreamOptions(ProtocolModel):
    include_usage: bool | None = None
    include_obfuscation: NoEffect = None


class ChatRequest(CommonFields):
    messages: list[ChatMessage] = Field(min_length=1)
    tools: list[FunctionTool] | None = Field(None, max_length=128)
    tool_choice: Literal["auto", "none", "required"] | ToolChoice | None = None
    response_format: ResponseFormat | None = None
    n: int | None = Field(None, ge=1, le=MANY)
    max_tokens: int | None = Field(None, ge=1)
    max_completion_tokens: int | None = Field(None, ge=1)
    stop: str | Annotated[list[str], Field(max_length=4)] | None = None
    stream_options: StreamOptions | None = None
    presence_penalty: float | None = Field(None, ge=-2, le=2)
    frequency_penalty: float | None = Field(None, ge=-2, le=2)
    seed: int | None = None
    logit_bias: dict[str, float] | None = None
    reasoning_effort: Effort | None = None
    verbosity: Literal["low", "medium", "high"] | None = None
    prediction: NoEffect = None
    modalities: list[Literal["text"]] | None = None
    logprobs: Unused = None
    audio: Unused = None
    functions: Unused = None
    function_call: Unused = None
    web_search_options: Unused = None

    @field_validator("functions", "function_call", mode="before")
    @classmethod
    def _outdated(cls, value: Any) -> None:
        if value:
            raise ValueError("functions are sent as `tools`, and chosen by `tool_choice`")

    @property
    def stops(self) -> list[str]:
        return [each for each in ([self.stop] if isinstance(self.stop, str) else self.stop or []) if each]

    @property
    def longest(self) -> int | None:
        return self.max_completion_tokens or self.max_tokens

    def args(self) -> CallArgs:
        """What `client.ask` takes."""
        if self.stream_options and not self.stream:
            raise invalid("'stream_options' is only allowed when 'stream' is true.", "stream_options", "invalid_value")
        system, messages = _said(self.messages)
        choice, allowed = self._choice()
        tools = [each.function.model_dump(exclude_none=True) for each in self.tools or []]
        bias = {"logit_bias": self.logit_bias} if self.logit_bias else {}
        return {
            "agent": self.agent,
            "system": system,
            "messages": messages,
            "tools": only(allowed, tools),
            "choice": choice,
            "parallel": self.parallel_tool_calls is not False,
            "format": self._format(),
            "settings": self.sampled("presence_penalty", "frequency_penalty", "seed") | bias,
            "tier": tier_of(self.reasoning_effort),
            "verbosity": LENGTH[self.verbosity or "medium"],
            "longest": self.longest,
            "stops": self.stops,
            "labels": self.labels,
        }

    def _choice(self) -> tuple[str, list[str] | None]:
        """What is to be called, and of which, where not of all."""
        match self.tool_choice:
            case NamedTool(function=function):
                return function.name, None
            case AllowedToolsChoice(allowed_tools=allowed):
                return allowed.mode, [each.function.name for each in allowed.tools]
            case choice:
                return choice or "auto", None

    def _format(self) -> JsonSchema | None:
        wanted = self.response_format
        if wanted is None or wanted.type == "text":
            return None
        if wanted.type == "json_object":
            return {}
        if wanted.json_schema is None or wanted.json_schema.schema_ is None:
            where = "response_format.json_schema"
            raise invalid("a json_schema format comes with its `schema`", where, "missing_required_parameter")
        return wanted.json_schema.schema_


def _said(messages: list[ChatMessage]) -> tuple[str, list[SaidMessage]]:
    """The system's instructions, and what was said. Where only the system speaks, that is what is asked."""
    system = [each.text for each in messages if each.role in ("system", "developer") and each.text]
    said = [
        _message(each, f"messages[{n}]") for n, each in enumerate(messages) if each.role not in ("system", "developer")
    ]
    if not said:
        return "", [{"role": "user", "parts": [{"text": "\n\n".join(system)}]}]
    check_order(said, "messages")
    return "\n\n".join(system), said


def _message(said: ChatMessage, where: str) -> SaidMessage:
    parts = said.parts(where)
    if said.role != "user" and any("image" in part for part in parts):
        raise invalid("only the user's messages hold images", f"{where}.content", "invalid_value")
    if said.role == "user":
        named: list[SaidPart] = [{"text": f"{said.name}:"}] if said.name else []
        return {"role": "user", "parts": [*named, *parts]}
    if said.role == "tool":
        return {"role": "tool", "parts": parts, "answers": said.tool_call_id}
    calls: list[SaidCall] = [
        {"id": call.id, "name": call.function.name, "arguments": call.function.arguments}
        for call in said.tool_calls or []
    ]
    return {"role": "assistant", "parts": parts, "calls": calls}


def check_order(said: list[SaidMessage], where: str) -> None:
    """Results of calls follow the message that made these, all of them; and it is not the assistant who spoke last."""
    open_: set[str] = set()
    for number, each in enumerate(said):
        if each["role"] == "tool":
            if (answers := each.get("answers")) not in open_:
                what = "messages with role 'tool' must be a response to a preceding message with 'tool_calls'"
                raise invalid(f"Invalid parameter: {what}.", f"{where}[{number}].role")
            open_.discard(answers)
            continue
        if open_:
            break
        open_ = {call["id"] for call in each.get("calls", ())}
    if open_:
        missing = ", ".join(sorted(open_))
        raise invalid(
            f"An assistant message with 'tool_calls' must be followed by the results of all of them; missing: {missing}",
            where,
        )
    if said[-1]["role"] == "assistant":
        raise invalid("the last message is the assistant's own; say something to be answered", where, "invalid_value")
    if said[-1]["role"] == "user" and not said[-1]["parts"]:
        raise invalid("the last message says nothing", f"{where}[{len(said) - 1}].content", "invalid_value")
