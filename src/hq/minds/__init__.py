"""Minds, which answer prompts: providers' models, local ones, or a script; and which of them answers when."""

__all__ = (
    "capability",
    "circuit_breaker",
    "config",
    "mind",
    "mind_json",
    "policy",
    "prices",
    "prompt_data",
    "provider_apis",
    "scripted",
    "service",
    "tokens",
)
