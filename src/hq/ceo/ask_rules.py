"""Rules for what waits for somebody's word: asks that wait, that nobody answered, and that were answered."""

from __future__ import annotations

from collections.abc import Sequence

from hq.ceo.actions import Action, SendCard
from hq.ceo.card_parts import Button, CardFact
from hq.ceo.facts import AskFacts, DecidedFacts, FounderFacts
from hq.ceo.occurrence import Seen

NOTED = Button(key="ok", label="Noted")
APPROVALS = Button(key="approvals", label="Go to approvals", link="/inbox", main=True)


def waits(seen: Seen[AskFacts], things: str = "approval") -> Sequence[Action]:
    """One is put before the founder as it is, with its buttons; of many it is told that they are there."""
    oldest = max((each.facts.hours for each in seen), default=0)
    many = f"an {things} waits" if len(seen) == 1 else f"{len(seen)} {things}s wait"
    return [
        SendCard(
            kind="attention",
            severity="warning" if any(each.severity == "warning" for each in seen) else "info",
            title=f"We need to talk: {many} for you" + (f", the oldest for {oldest} hours" if oldest else ""),
            text=("Somebody cannot go on without it." if len(seen) == 1 else "Some cannot go on without them.")
            + (" After three days without a word it is off." if oldest >= 48 and things == "approval" else ""),
            facts=_asked([each.facts for each in seen]) if len(seen) > 1 else [],
            buttons=[] if len(seen) == 1 else [APPROVALS, Button(key="later", label="Later")],
            ask=(seen[0].facts.approval or seen[0].facts.slug) if len(seen) == 1 else None,
        )
    ]  # fmt: skip


def ask_stale(seen: Seen[AskFacts]) -> Sequence[Action]:
    return waits(seen, "ask")


def resolved(seen: Seen[AskFacts]) -> Sequence[Action]:
    """A yes or a no is carried out by itself; a yes that led to nothing and what nobody decided are worth a word."""
    failed = [each.facts for each in seen if each.facts.became == "failed"]
    expired = [each.facts for each in seen if each.facts.became == "expired"]
    cards = [
        SendCard(
            kind="alert",
            severity="warning",
            title=f"What you approved could not be done: {facts.verb}",
            text=facts.why or "",
            buttons=[NOTED],
        )
        for facts in failed
    ]
    if expired:
        many = "an approval has" if len(expired) == 1 else f"{len(expired)} approvals have"
        cards.append(
            SendCard(
                kind="alert",
                severity="warning",
                title=f"Nobody decided, so {many} run out",
                text="Who asked was told, and goes on without it. If you want it after all, have it asked for again.",
                facts=_asked(expired),
                buttons=[NOTED],
            )
        )
    return cards


def _asked(asks: Sequence[AskFacts]) -> list[CardFact]:
    return [CardFact(name=f"{facts.by}: {facts.verb}"[:60], value=(facts.why or "-")[:1000]) for facts in asks[:10]]


def founder_asked(seen: Seen[FounderFacts]) -> Sequence[Action]:
    """Whoever asks waits until somebody answers, so it is said at once."""
    return [
        SendCard(
            kind="attention",
            severity="warning",
            ask=each.facts.ask,
        )
        for each in seen
    ]


def decided_alone(seen: Seen[DecidedFacts]) -> Sequence[Action]:
    """Nobody waits for the founder's word, who hears of it all the same and may want it otherwise."""
    return [_decided(each.facts) for each in seen]


def _decided(facts: DecidedFacts) -> SendCard:
    others = [option.label for option in facts.options or () if option.label != facts.answer]
    rather = [
        Button(
            key=f"rather-{n}",
            label=f"Rather {label}"[:60],
            verb="escalation.resolve",
            args={"ref": facts.ask, "answer": label},
        )
        for n, label in enumerate(others[:3], 1)
        if facts.type == "escalation"
    ]
    if facts.found:  # bad news comes first, and what is done about it with it
        title = f"{facts.title}. {facts.by}: {facts.answer}"
        return SendCard(kind="report", severity="warning", title=title[:300], buttons=[NOTED])
    because = "; ".join(facts.because or ()) or "nothing that was said before"
    return SendCard(
        kind="report",
        title=f"{facts.agent or 'An agent'} asked, and {facts.by} decided: {facts.answer}"[:300],
        text=facts.title,
        facts=[CardFact(name="going by", value=because[:1000])],
        buttons=[Button(key="ok", label="Fine", main=True), *rather],
    )


def founder_written(seen: Seen[FounderFacts]) -> Sequence[Action]:
    return [_written(each.facts) for each in seen]


def _written(facts: FounderFacts) -> SendCard:
    asks = facts.title.rstrip().endswith("?")
    text = f'{facts.says or ""}\n\nAnswer with `hq agent reply {facts.message} "…"`.'.strip()
    return SendCard(
        kind="attention",
        severity="warning",
        title=f"{facts.agent} {'asks' if asks else 'writes'}: {facts.title}"[:300],
        text=text[:8000],
        buttons=[NOTED],
    )
