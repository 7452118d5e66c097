"""A request for a response, as OpenAI's newer protocol has it, and what it asks in hq's own words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Discriminator, Field, Tag

from hq.api.openai.chat_request import check_order
from hq.api.openai.fields import (
    LENGTH,
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
from hq.api.openai.problem import OpenAIProblem, invalid
from hq.json_types import CallArgs, JsonSchema

Included = Literal[
    "reasoning.encrypted_content", "message.input_image.image_url", "file_search_call.results", "web_search_call.results",
    "web_search_call.action.sources", "code_interpreter_call.outputs", "computer_call_output.output.image_url"]  # fmt: skip
"""What may be asked for beside an answer: of each there is all there is, which is nothing. Log probabilities would be missed."""
OURS = re.compile(r"resp_([0-9a-f]{32})")


class InputText(ProtocolModel):
    type: Literal["input_text", "output_text", "text"]
    text: str
    annotations: NoEffect = None
    logprobs: NoEffect = None


class InputRefusal(ProtocolModel):
    type: Literal["refusal"]
    refusal: str


class InputImage(ProtocolModel):
    type: Literal["input_image"]
    image_url: str | None = Field(None, max_length=30_000_000)
    detail: Literal["auto", "low", "high", "original"] | None = None
    file_id: Unused = None


Content = Annotated[InputText | InputImage | InputRefusal, Field(discriminator="type")]


class MessageItem(ProtocolModel):
    type: Literal["message"] = "message"
    role: Literal["user", "assistant", "system", "developer"]
    content: str | list[Content]
    id: NoEffect = None
    status: NoEffect = None
    phase: NoEffect = None


class FunctionCallItem(ProtocolModel):
    type: Literal["function_call"]
    call_id: str = Field(min_length=1, max_length=200)
    name: str
    arguments: str
    id: NoEffect = None
    status: NoEffect = None
    caller: NoEffect = None
    namespace: Unused = None


class FunctionOutputItem(ProtocolModel):
    type: Literal["function_call_output"]
    call_id: str = Field(min_length=1, max_length=200)
    output: str | list[Content]
    id: NoEffect = None
    status: NoEffect = None
    caller: NoEffect = None


def _sort(item: Any) -> str:
    """A message need not say that it is one."""
    return str(item.get("type") or "message") if isinstance(item, dict) else getattr(item, "type", "message")


Item = Annotated[
    Annotated[MessageItem, Tag("message")]
    | Annotated[FunctionCallItem, Tag("function_call")]
    | Annotated[FunctionOutputItem, Tag("function_call_output")],
    Discriminator(_sort),
]


class ResponseTool(ProtocolModel):
    type: Literal["function"]
    name: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    description: str | None = None
    parameters: JsonSchema | None = None
    strict: bool | None = None


class NamedResponseTool(ProtocolModel):
    type: Literal["function"]
    name: str


class AllowedResponseTools(ProtocolModel):
    type: Literal["allowed_tools"]
    mode: Literal["auto", "required"]
    tools: list[NamedResponseTool] = Field(min_length=1, max_length=128)


ResponseToolChoice = Annotated[NamedResponseTool | AllowedResponseTools, Field(discriminator="type")]


class TextFormat(ProtocolModel):
    type: Literal["text", "json_object", "json_schema"]
    name: str | None = None
    description: str | None = None
    schema_: JsonSchema | None = Field(None, alias="schema")
    strict: bool | None = None


class TextConfig(ProtocolModel):
    format: TextFormat | None = None
    verbosity: Literal["low", "medium", "high"] | None = None


class Reasoning(ProtocolModel):
    effort: Effort | None = None
    summary: NoEffect = None
    generate_summary: NoEffect = None


class ResponseStreamOptions(ProtocolModel):
    include_obfuscation: NoEffect = None


class ResponseRequest(CommonFields):
    input: str | list[Item]
    instructions: str | None = None
    previous_response_id: str | None = Field(None, max_length=100)
    tools: list[ResponseTool] | None = Field(None, max_length=128)
    tool_choice: Literal["auto", "none", "required"] | ResponseToolChoice | None = None
    text: TextConfig | None = None
    reasoning: Reasoning | None = None
    max_output_tokens: int | None = Field(None, ge=1)
    stream_options: ResponseStreamOptions | None = None
    truncation: Literal["auto", "disabled"] | None = None
    """Either way nothing is left out: whatever its length, all of it is read."""
    include: list[Included] | None = None
    max_tool_calls: int | None = Field(None, ge=1)
    """Of tools that OpenAI runs by itself; here there are none."""
    background: Unused = None
    conversation: Unused = None
    prompt: Unused = None
    context_management: Unused = None
    access_programs: Unused = None
    image: Unused = None

    def args(self) -> CallArgs:
        """What `client.ask` takes."""
        system, messages = self.said()
        choice, allowed = self._choice()
        tools = [tool.model_dump(exclude_none=True, exclude={"type"}) for tool in self.tools or []]
        return {
            "agent": self.agent,
            "system": "\n\n".join(filter(None, (self.instructions, system))),
            "messages": messages,
            "tools": only(allowed, tools),
            "choice": choice,
            "parallel": self.parallel_tool_calls is not False,
            "format": self._format(),
            "settings": self.sampled(),
            "tier": tier_of(self.reasoning.effort if self.reasoning else None),
            "verbosity": LENGTH[(self.text.verbosity if self.text else None) or "medium"],
            "longest": self.max_output_tokens,
            "previous": self.previous,
            "labels": self.labels,
        }

    @property
    def previous(self) -> str | None:
        return str(session_of(self.previous_response_id, missing)) if self.previous_response_id else None

    def said(self) -> tuple[str, list[SaidMessage]]:
        if isinstance(self.input, str):
            if not self.input.strip():
                raise invalid("the input says nothing", "input", "invalid_value")
            return "", [{"role": "user", "parts": [{"text": self.input}]}]
        system, said = [], list[SaidMessage]()
        for number, item in enumerate(self.input):
            if isinstance(item, MessageItem) and item.role in ("system", "developer"):
                system.append("\n".join(text for part in _parts(item.content, "") if (text := part.get("text"))))
            else:
                _add(said, _message(item, f"input[{number}]"))
        if not said:
            return "", [{"role": "user", "parts": [{"text": "\n\n".join(system)}]}]
        if not self.previous_response_id:
            check_order(said, "input")
        return "\n\n".join(system), said

    def _choice(self) -> tuple[str, list[str] | None]:
        """What is to be called, and of which, where not of all."""
        match self.tool_choice:
            case NamedResponseTool(name=name):
                return name, None
            case AllowedResponseTools(mode=mode, tools=tools):
                return mode, [each.name for each in tools]
            case choice:
                return choice or "auto", None

    def _format(self) -> JsonSchema | None:
        wanted = self.text.format if self.text else None
        if wanted is None or wanted.type == "text":
            return None
        if wanted.type == "json_object":
            return {}
        if wanted.schema_ is None:
            raise invalid("a json_schema format comes with its `schema`", "text.format", "missing_required_parameter")
        return wanted.schema_


def session_of(response: str, missing: Callable[[str], OpenAIProblem]) -> UUID:
    """The session of a response of ours."""
    found = OURS.fullmatch(response)
    if found is None:
        raise missing(response)
    return UUID(found[1])


def not_there(response: str) -> OpenAIProblem:
    """Of one that was asked for by its own address."""
    return OpenAIProblem(404, f"Response with id '{response}' not found.", code="response_not_found", param="id")


def missing(response: str) -> OpenAIProblem:
    said = f"Previous response with id '{response}' not found."
    return OpenAIProblem(404, said, code="previous_response_not_found", param="previous_response_id")


def _message(item: MessageItem | FunctionCallItem | FunctionOutputItem, where: str) -> SaidMessage:
    match item:
        case MessageItem(role="user"):
            return {"role": "user", "parts": _parts(item.content, where)}
        case MessageItem():
            return {"role": "assistant", "parts": _parts(item.content, where)}
        case FunctionCallItem():
            call: SaidCall = {"id": item.call_id, "name": item.name, "arguments": item.arguments}
            return {"role": "assistant", "parts": [], "calls": [call]}
        case FunctionOutputItem():
            return {"role": "tool", "parts": _parts(item.output, where), "answers": item.call_id}


def _add(said: list[SaidMessage], message: SaidMessage) -> None:
    """Calls that stand one after the other were one reply, with what was said before them."""
    last = said[-1] if said else None
    if last and (calls := message.get("calls")) and last["role"] == "assistant":
        last["calls"] = [*last.get("calls", []), *calls]
    else:
        said.append(message)


def _parts(content: str | list[Any], where: str) -> list[SaidPart]:
    if isinstance(content, str):
        return [{"text": content}] if content else []
    return [_part(part, f"{where}.content[{n}]") for n, part in enumerate(content)]


def _part(part: InputText | InputImage | InputRefusal, where: str) -> SaidPart:
    match part:
        case InputText():
            return {"text": part.text}
        case InputRefusal():
            return {"text": part.refusal}
        case InputImage():
            if part.image_url is None:
                raise invalid("an image comes by its image_url", where, "missing_required_parameter")
            return {"image": image_of(part.image_url, where)}
