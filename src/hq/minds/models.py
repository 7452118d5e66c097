"""pydantic-ai's adapter for a mind: the only place that knows its providers. Loaded when somebody is really asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypedDict, assert_never

import httpx2
from pydantic_ai.messages import CachePoint, ModelMessage, ModelRequest, UserPromptPart
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from hq.json_types import WireBody
from hq.minds.config import MindConfig
from hq.minds.mind import MindRefused, MindRequest

NO_KEY = "none-needed"  # the clients insist on one
MAX_TOKENS = 8192


class ProviderReach(TypedDict):
    """What a provider's client is made with."""

    base_url: str | None
    api_key: str
    http_client: httpx2.AsyncClient


def model_of(config: MindConfig, name: str, key: str | None, http: httpx2.AsyncClient) -> Model:
    """Addresses and keys are always given, so that nothing is taken from the environment behind our back."""
    reach: ProviderReach = {"base_url": config.url, "api_key": key or NO_KEY, "http_client": http}
    match config.wire:
        case "anthropic":
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            return AnthropicModel(name, provider=AnthropicProvider(**reach))
        case "responses":
            from pydantic_ai.models.openai import OpenAIResponsesModel
            from pydantic_ai.providers.openai import OpenAIProvider

            return OpenAIResponsesModel(name, provider=OpenAIProvider(**reach))
        case "chat":
            from pydantic_ai.profiles import merge_profile
            from pydantic_ai.profiles.openai import OpenAIModelProfile

            from hq.minds.alternating_chat import AlternatingChatModel

            provider = _chat_provider(config.provider, reach)
            # Otherwise a stream that is closed too early passes for a finished answer.
            whole = OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)
            profile = merge_profile(provider.model_profile(name), whole)
            return AlternatingChatModel(name, provider=provider, profile=profile)
        case "google":
            from pydantic_ai.models.google import GoogleModel
            from pydantic_ai.providers.google import GoogleProvider

            return GoogleModel(name, provider=GoogleProvider(**reach))
        case "script":
            raise MindRefused("the scripted mind has no model behind it")
        case other:
            assert_never(other)


def _chat_provider(provider: str, reach: ProviderReach) -> Any:
    """Ollama takes schemas in its own way; everyone else's is OpenAI's."""
    if provider == "ollama":
        from pydantic_ai.providers.ollama import OllamaProvider

        return OllamaProvider(**reach)
    from pydantic_ai.providers.openai import OpenAIProvider

    return OpenAIProvider(**reach)


def settings_of(config: MindConfig, ask: MindRequest) -> ModelSettings:
    """Retries are ours; Anthropic is asked to keep everything but what is only so now, the others do so by themselves."""
    settings: WireBody = {
        "max_tokens": ask.max_tokens or MAX_TOKENS,
        "max_retries": 0,
        "timeout": float(config.seconds),
    }
    if config.wire == "anthropic":
        kept = "1h" if ask.lasting else True
        settings |= {"anthropic_cache_instructions": kept, "anthropic_cache_tool_definitions": kept}
        settings |= {"anthropic_cache_messages": not ask.now}
    if ask.words and config.wire != "anthropic":  # there it would cost the conversation that is kept
        settings |= {"tool_choice": "none"}
    if ask.stops and config.wire != "responses":
        settings |= {"stop_sequences": list(ask.stops)}
    if config.wire == "google":
        del settings["max_retries"]
    return settings  # type: ignore[return-value]


def messages_of(config: MindConfig, ask: MindRequest) -> list[ModelMessage]:
    """The conversation, and behind its last word, where it is not kept, what is so now."""
    messages = list(ask.messages)
    if not ask.now:
        return messages
    kept = config.wire == "anthropic" and bool(messages)
    now = UserPromptPart(content=[CachePoint(), ask.now] if kept else ask.now)
    if messages and isinstance(last := messages[-1], ModelRequest):
        return [*messages[:-1], replace(last, parts=[*last.parts, now])]
    return [*messages, ModelRequest(parts=[now])]
