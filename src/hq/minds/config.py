"""Configuration of a company's minds, and which of them answers for a tier. Pure choice: no database, no network."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from hq.minds.mind import TIERS, Tier

Wire = Literal["anthropic", "responses", "chat", "google", "script"]
KeyPlace = Literal["vault", "environment", "missing", "refused", "unproven", "not needed"]
WITHOUT: tuple[KeyPlace, ...] = ("missing", "refused", "unproven")
"""Keys with which nobody can be asked, or nobody has answered yet."""


@dataclass(frozen=True)
class MindProvider:
    """How one provider is spoken to, what it is reached by, and its model for each tier."""

    wire: Wire
    base_url: str | None = None
    key: str | None = None
    """The secret's name in the vault; in the environment it is the same in capitals."""
    models: Mapping[Tier, str] = field(default_factory=dict)
    prices: str | None = None
    """Its name in the price list."""
    label: str = ""
    """What people call it."""


_GPT: dict[Tier, str] = {"default": "gpt-5.4", "heavy": "gpt-5.5", "light": "gpt-5.4-mini"}
_OPENAI = "https://api.openai.com/v1"

PROVIDERS: dict[str, MindProvider] = {
    "anthropic": MindProvider(
        "anthropic",
        "https://api.anthropic.com",
        "anthropic_api_key",
        {"default": "claude-sonnet-5-5", "heavy": "claude-opus-5-5", "light": "claude-haiku-5-5"},
        "anthropic",
        "Anthropic (Claude)",
    ),
    "openai": MindProvider("responses", _OPENAI, "openai_api_key", _GPT, "openai", "OpenAI"),
    "openai-chat": MindProvider("chat", _OPENAI, "openai_api_key", _GPT, "openai", "OpenAI (chat completions)"),
    "google": MindProvider(
        "google",
        "https://generativelanguage.googleapis.com",
        "google_api_key",
        {"default": "gemini-3.5-flash", "heavy": "gemini-3.1-pro-preview", "light": "gemini-3.5-flash-lite"},
        "google",
        "Google (Gemini)",
    ),
    "openrouter": MindProvider(
        "chat", "https://openrouter.ai/api/v1", "openrouter_api_key", prices="openrouter", label="OpenRouter"
    ),
    "groq": MindProvider("chat", "https://api.groq.com/openai/v1", "groq_api_key", prices="groq", label="Groq"),
    "ollama": MindProvider("chat", "http://127.0.0.1:11434/v1", label="Ollama, on this machine"),
    "compatible": MindProvider("chat", label="Another OpenAI-compatible server (vLLM, LM Studio, …)"),
    "script": MindProvider("script", label="The script that comes with hq"),
}
UNASKED = ("anthropic", "openai", "google")
"""Taken without being set, in this order, when their key is there."""


@dataclass(frozen=True)
class MindConfig:
    """One mind as it is set. Without a model it takes its provider's for the tier."""

    name: str
    provider: str
    model: str | None = None
    base_url: str | None = None
    key: str | None = None
    tiers: tuple[Tier, ...] = TIERS
    rank: int = 10
    """Smaller is asked first; the next one when that cannot answer."""
    seconds: int = 300
    """How long an answer may take."""
    found: bool = False
    """Not set by anybody: it is there because a key was found."""

    @property
    def wire(self) -> Wire:
        return PROVIDERS[self.provider].wire

    @property
    def url(self) -> str | None:
        return self.base_url or PROVIDERS[self.provider].base_url

    @property
    def label(self) -> str:
        """What people call who answers."""
        return PROVIDERS[self.provider].label.partition(" (")[0].partition(",")[0]

    @property
    def key_name(self) -> str | None:
        return self.key or PROVIDERS[self.provider].key

    def model_for(self, tier: Tier) -> str:
        return self.model or PROVIDERS[self.provider].models.get(tier, "")

    def says(self, tier: Tier) -> str:
        """How it is called in a reply and in the call log."""
        return f"{self.provider}:{self.model_for(tier)}" if self.wire != "script" else "script"


@dataclass(frozen=True)
class TierChoice:
    """Who answers for a tier, in order, and why."""

    tier: Tier
    chain: tuple[MindConfig, ...]
    """Empty: the script answers."""
    why: str
    lacking: bool = False
    """Somebody was set who would answer if there were a key that works."""
    asked: tuple[MindConfig, ...] = ()
    """The chain, and in their places those who do not count before they have answered and may be tried again."""


def name_a_key(mind: MindConfig) -> str:
    """What to do where a mind was set without one."""
    return f"`hq vault set …`, then `hq mind set {mind.name} --key …` names it"


def lacks(mind: MindConfig, place: KeyPlace) -> str:
    """What is to be done about a key."""
    if place == "unproven":
        return f"{mind.name} has not answered yet and is tried again by itself; `hq mind test {mind.name}` tries it now"
    if not mind.key_name:
        return f"{mind.name} wants a key: {name_a_key(mind)}"
    how = f"refused the key {mind.key_name}" if place == "refused" else f"lacks the key {mind.key_name}"
    return f"{mind.name} {how}: `hq vault set {mind.key_name}`"


def in_plain_words(mind: MindConfig, place: KeyPlace) -> str:
    """The same for people, who find on the page what to do about it."""
    if place == "unproven":
        return f"{mind.label} has not answered yet"
    return f"{mind.label} refused the key it has" if place == "refused" else f"{mind.label} has no key yet"


def minds_of(set_: Iterable[MindConfig], place: Callable[[MindConfig], KeyPlace]) -> list[MindConfig]:
    """The minds that were set; when none was, those whose key is lying there."""
    if known := sorted(set_, key=lambda mind: (mind.rank, mind.name)):
        return known
    found = [MindConfig(name, name, rank=rank, found=True) for rank, name in enumerate(UNASKED)]
    return [mind for mind in found if place(mind) != "missing"]


def preferring(choice: TierChoice, minds: Iterable[MindConfig], model: str | None) -> TierChoice:
    """The same with an agent's own model first: a mind by its name, or `provider:model` of a provider that is set. One that nobody
    here can reach changes nothing."""
    if not model or not choice.chain:
        return choice
    provider, colon, name = model.partition(":")
    usable = [mind for mind in minds if mind.wire != "script"]
    own = next((mind for mind in usable if model in (mind.name, mind.says(choice.tier))), None)
    if own is None and colon:
        own = next((replace(mind, model=name) for mind in usable if mind.provider == provider), None)
    if own is None:
        return choice
    chain, asked = ((own, *(mind for mind in each if mind != own)) for each in (choice.chain, choice.asked))
    return TierChoice(choice.tier, chain, f"the agent's own model is {own.says(choice.tier)}", asked=asked)


def choose(
    minds: Iterable[MindConfig],
    tier: Tier,
    place: Callable[[MindConfig], KeyPlace],
    due: Callable[[MindConfig], bool] = lambda mind: False,
) -> TierChoice:
    """A tier without minds of its own is answered by those of the default tier.

    The script stands in for a company that has set nothing, and until there is a key that works; never for a mind that
    has one and cannot answer. Who cannot be counted on and is `due` is tried again all the same.
    """
    minds = list(minds)
    if not minds:
        return TierChoice(
            tier, (), "no mind is set and no key was found, so the script answers; `hq mind set` names one"
        )
    meant = (
        [mind for mind in minds if tier in mind.tiers] or [mind for mind in minds if "default" in mind.tiers] or minds
    )
    own = tier in meant[0].tiers
    chain = tuple(mind for mind in meant if place(mind) not in WITHOUT)
    asked = tuple(mind for mind in meant if mind in chain or due(mind))
    if not chain:
        lacking = ", ".join(lacks(mind, place(mind)) for mind in meant)
        return TierChoice(tier, (), f"{lacking}; until then the script answers", lacking=True, asked=asked)
    if chain[0].found:
        why = f"nothing is set, but there is a key {chain[0].key_name} ({place(chain[0])})"
        return TierChoice(tier, chain, why, asked=asked)
    first = (
        f"{chain[0].name} is set for {', '.join(chain[0].tiers)}" if own else f"nothing is set for {tier}: as default"
    )
    then = f"; then {', '.join(m.name for m in chain[1:])}" if chain[1:] else ""
    return TierChoice(tier, chain, first + then, asked=asked)
