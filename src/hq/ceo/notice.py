"""Noticing in SQL, all that the CEO looks for: `notice.sql` is written from the triggers and their queries, by `scripts/sql_views.py`.

One function and one plan: what several triggers look at is found once.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import indent
from typing import Any

from hq.ceo.triggers import TRIGGERS, Trigger
from hq.database.queries import beside

FILE = Path(__file__).with_name("notice.sql")
NOTE = "-- Written by `scripts/sql_views.py` from triggers.py and triggers.sql; do not edit.\n\n"
QUERIES = beside(__file__, "triggers.sql")
SHARED = ("since", "team", "waiting", "pending")
"""What several triggers look at."""
TEXT = """-- Events that a trigger is about.
create or replace function ops.heard_topics() returns text[]
    language sql immutable
    set search_path = pg_catalog, pg_temp
    return array[{topics}];

-- What there is to notice in a company, found without asking any model. A row is an occurrence nobody was told of yet: `n`
-- is 1, or one more where its trigger comes again.
create or replace function ops.notice(_tenant uuid, _now timestamptz)
    returns table (trigger text, subject text, n integer, severity text, facts jsonb)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
    with events as materialized (
        select u.seq || '.' || u.ordinal as id, u.seq, u.topic, u.payload
          from ops.unheard(_tenant, ops.heard_topics(), _now) u
    ), {shared}, found (trigger, again, most, subject, severity, facts) as (
{found}
    )
    select f.trigger, f.subject, coalesce(o.n, 0) + 1, f.severity, f.facts
      from found f
      left join lateral (select x.n, x.seen_at from ops.occurrences x
                          where x.tenant_id = _tenant and x.trigger = f.trigger and x.subject = f.subject
                          order by x.n desc limit 1) o on true
     where o.n is null or coalesce(o.n < f.most, true) and o.seen_at <= _now - f.again
$$;

revoke all on function ops.heard_topics, ops.notice from public;
"""


def written(triggers: Sequence[Trigger[Any]] = TRIGGERS) -> str:
    """The function that looks, and the events it has to hear."""
    topics = dict.fromkeys(topic for trigger in triggers for topic in trigger.topics)
    shared = ", ".join(f"{name} as materialized (\n{indent(QUERIES[name], ' ' * 8)}\n    )" for name in SHARED)
    found = f"\n{' ' * 8}union all\n".join(map(_occurrences, triggers))
    return NOTE + (
        TEXT.replace("{topics}", _quoted(topics)).replace("{shared}", shared).replace("{found}", found)
    )  # fmt: skip


def _occurrences(trigger: Trigger[Any]) -> str:
    again = f"interval '{trigger.again.days} days'" if trigger.again else "null::interval"
    most = trigger.most or "null::integer"
    heard = ""
    if trigger.topics:
        heard = f"with heard as (select * from events e where e.topic in ({_quoted(trigger.topics)}))\n"
    query = indent(heard + QUERIES[trigger.name], " " * 12)
    return (
        f"        select '{trigger.name}', {again}, {most}, x.subject, x.severity, x.facts from (\n{query}\n        ) x"
    )


def _quoted(words: Sequence[str] | dict[str, None]) -> str:
    return ", ".join(f"'{word}'" for word in words)
