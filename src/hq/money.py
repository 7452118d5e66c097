"""Money in words: what was spent, to the cent; what is less than one is told from nothing, and what has no price from both."""

from __future__ import annotations

from decimal import Decimal

CENT = Decimal("0.01")
LEAST = Decimal("0.000001")


def money(usd: Decimal | float) -> str:
    """An amount of US dollars."""
    exact = Decimal(str(usd))
    if not 0 < exact < CENT:
        return f"${exact:,.2f}"
    told = f"{Decimal(f'{exact:.2g}'):f}".rstrip("0")  # two figures say how much it is
    return f"${told}" if exact >= LEAST else f"under ${LEAST:f}"


def price_text(usd: Decimal | None) -> str:
    """What one call cost, as exactly as a price list says."""
    if usd is None or not usd:
        return "unpriced" if usd is None else "free"
    return f"${usd:.6f}".rstrip("0").rstrip(".") if usd >= LEAST else money(usd)


def cost_text(usd: Decimal | float | None, unpriced: int = 0) -> str:
    """What calls cost together, of which some may have no price. Where some have none, that others cost nothing, such as those
    that failed, makes nothing free."""
    calls = f"call{'' if unpriced == 1 else 's'}"
    if unpriced and not usd:
        return f"unpriced ({unpriced} {calls})"
    known = money(usd) if usd else "free"
    return f"{known} and {unpriced} unpriced {calls}" if unpriced else known


def spent_text(
    usd: Decimal | float | None, tokens: int, *, cached: int = 0, unpriced: int = 0, estimated: int = 0
) -> str:
    """What was spent on something, in money and in tokens; that one of its calls was only estimated is said of all."""
    used = usd or tokens or unpriced
    said = ("about " if estimated and usd else "") + (cost_text(usd, unpriced) if used else money(0))
    return f"{said}, {tokens:,} tokens" + (f", {cached:,} of them from the cache" if cached else "")
