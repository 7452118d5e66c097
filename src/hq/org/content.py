"""The words of organisations and personas: what their files say, and what to do when file and graph differ.

An intent is kept in the graph too, so that it has a history. A file that says what the graph once said is an old
one, such as after an undo; one that says something else was edited by somebody, and counts.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from hq.database.queries import beside
from hq.door.tx import Tx
from hq.graph.records import Stored
from hq.org import intent
from hq.org.files import (
    OrgFiles,
    experience_path,
    first_experience,
    first_skill,
    intent_path,
    skill_path,
)
from hq.org.types import Organisation, OrgIntent, Persona

SQL = beside(__file__)


@dataclass(frozen=True)
class IntentFile:
    text: str
    lists: OrgIntent
    edited: bool = False
    """The file says something the graph has not been told."""


async def company(tx: Tx) -> str:
    return await tx.the_scalar(SQL["company"], of=str)


async def intent_of(tx: Tx, organisation: Stored[Organisation]) -> IntentFile:
    """What its intent is: then, as it was recorded; now, as the file says it."""
    props = organisation.props
    known = props.intent_md if props.intent_md is not None else intent.first_text(props.name, props.intent)
    if tx.as_of is None:
        text = await asyncio.to_thread(tx.use(OrgFiles).read, await company(tx), intent_path(organisation.slug))
        if text is not None and text != known and not await _was_ours(tx, organisation, text):
            return IntentFile(text, intent.parse(text), edited=True)
    return IntentFile(known, props.intent)


async def _was_ours(tx: Tx, organisation: Stored[Organisation], text: str) -> bool:
    return bool(await tx.scalar(SQL["intent_was"], {"id": organisation.id, "text": text}, of=int))


async def set_intent(tx: Tx, organisation: Stored[Organisation], text: str) -> Stored[Organisation]:
    """Into the graph now, into the file once that is committed."""
    changed = await tx.change(organisation, {"intent_md": text, "intent": intent.parse(text).model_dump()})
    home, files = await company(tx), tx.use(OrgFiles)
    tx.on_committed.append(lambda: asyncio.to_thread(files.write, home, intent_path(organisation.slug), text))
    return changed


async def begin_files(
    tx: Tx, organisations: list[Stored[Organisation]] | None = None, personas: list[Stored[Persona]] | None = None
) -> None:
    """The directories and first texts of what this call made, once it is committed."""
    texts = {
        intent_path(org.slug): org.props.intent_md or intent.first_text(org.props.name) for org in organisations or []
    }
    for persona in personas or []:
        texts |= first_files(persona)
    home, files = await company(tx), tx.use(OrgFiles)
    if texts:
        tx.on_committed.append(lambda: asyncio.to_thread(files.begin, home, texts))


def first_files(persona: Stored[Persona]) -> dict[str, str]:
    props = persona.props
    return {
        skill_path(persona.slug): first_skill(props.name, props.role, props.description),
        experience_path(persona.slug): first_experience(props.name),
    }


async def words_of(tx: Tx, persona: Stored[Persona]) -> tuple[str, str]:
    """A persona's skill and experience, as the files are now."""
    home, files = await company(tx), tx.use(OrgFiles)
    first = first_files(persona)
    found = [await asyncio.to_thread(files.read, home, path) for path in first]
    skill, experience = (text if text is not None else begin for text, begin in zip(found, first.values(), strict=True))
    return skill, experience
