"""What the founder says in the conversation, and what stands there to be answered."""

from __future__ import annotations

from hq.minds.scripted.mind import shipped

from .conftest import approval

NOT_UNDERSTOOD = "sure, go ahead and do that thing for him"


async def put(hq, made) -> None:
    """Its card in the conversation, where the founder reads it."""
    await hq.do("card.send", kind="attention", ask=made.slug)
    await hq.do("chat.read")
    hq.clock.advance(minutes=1)


async def say(play, text: str, answer: str) -> None:
    """The founder says something to the CEO, and hears an answer."""
    await play.hq.do("chat.say", text=text)
    await play.runner([answer]).run_once()
    play.hq.clock.advance(minutes=1)


async def props(hq, noun: str, ref: str) -> dict:
    return (await hq.do(f"{noun}.show", ref=ref))["props"]


async def two(hq) -> tuple[str, str]:
    """Two permissions of the same sort, asked for by the same."""
    made = await approval(hq)
    return made.slug, await another(hq, made)


async def another(hq, made) -> str:
    for name in ("Bravo", "Bravo Inc"):
        await hq.do("entity.create", name=name)
    return (await hq.call("entity.merge", loser="bravo-inc", into="bravo", _token=made.asker)).data["approval"]


async def told(hq) -> str:
    return [line["text"] for line in (await hq.do("chat.history"))["items"] if "card" not in line][-1]


async def to_the_script(play, text: str) -> None:
    """The founder says something to the CEO that has no model."""
    await play.hq.do("chat.say", text=text)
    await play.runner(shipped()).run_once()
    play.hq.clock.advance(minutes=1)
