-- name: grants
-- Grants in force that may fit an actor and a verb.
select n.id, n.slug from graph.nodes n
 where n.tenant_id = ops.tenant() and n.type = 'grant' and n.status = 'active' and n.archived_at is null
   and n.props ->> 'actor' = any(%(actors)s) and n.props ->> 'verb' = any(%(verbs)s);

-- name: still_holds
-- Whether a principal still has a live credential with one of these scopes; or had it last for a conversation, which goes on
-- in its next session.
select exists (select 1 from ops.credentials c
                where c.tenant_id = ops.tenant() and c.principal_id = %(principal)s and c.revoked_at is null
                  and (c.expires_at is null or c.expires_at > %(now)s) and c.scopes && %(scopes)s)
    or exists (select 1
                 from (select c.* from ops.credentials c
                        where c.tenant_id = ops.tenant() and c.principal_id = %(principal)s
                        order by c.created_at desc, c.id desc limit 1) c
                 join ops.sessions s on s.tenant_id = c.tenant_id and c.name = 'session ' || s.id
                where s.kind = 'thread' and s.ended_at = c.revoked_at and c.scopes && %(scopes)s) as holds;

-- name: made_under_key
-- The call that was made under an idempotency key.
select id, output from ops.agent_actions where tenant_id = ops.tenant() and idempotency_key = %(key)s and status = 'ok';

-- name: made_by_decision
-- What came of a call that the decision about it made itself, as decisions of an older hq did.
select output -> 'result' as output from ops.agent_actions where tenant_id = ops.tenant() and id = %(action)s::uuid;

-- name: press_faces
-- An ask was answered: its card in the conversation shows by whom.
update ops.cards set pressed = %(button)s, pressed_by = %(by)s, pressed_at = %(now)s, shown_at = coalesce(shown_at, %(now)s)
 where tenant_id = ops.tenant() and ask = %(ask)s and pressed is null
   and buttons @> jsonb_build_array(jsonb_build_object('key', %(button)s::text));

-- name: waiting
-- What waits for somebody.
select * from ops.my_asks(%(to)s, %(now)s, %(types)s, %(most)s, %(verbs)s);

-- name: waited
-- What waited for somebody at a moment of the past.
select * from ops.my_asks_then(%(to)s, %(true_at)s, %(known_at)s, %(upto)s, %(also)s, %(types)s, %(most)s, %(verbs)s);

-- name: asked_and_open
-- How many asks of somebody's wait.
select count(*) from graph.nodes n
 where n.tenant_id = ops.tenant() and n.producer_id = %(producer)s and n.archived_at is null
   and n.type = any(%(types)s) and ops.ask_waits(n.type, n.status);

-- name: card_of
-- The card in the conversation that was the face of an ask then.
select id from ops.cards where tenant_id = ops.tenant() and ask = %(ask)s and shown_at <= %(at)s order by id desc limit 1;

-- name: asked_by
-- Who asked.
select ops.who_asked(%(id)s) as asked_by;

-- name: ended
-- Who ended an ask without an answer, and why, as that was told.
select v.actor as by,
       (select o.payload ->> 'why' from ops.outbox o
         where o.tenant_id = v.tenant_id and o.seq = v.seq and o.payload ->> 'id' = v.item_id::text and o.payload ? 'why'
         limit 1) as why
  from graph.versions v
 where v.tenant_id = ops.tenant() and v.item_id = %(ask)s
 order by v.seq desc limit 1;

-- name: said_by_founder
-- A message that a person wrote in the conversation with an agent: the one that began it, or a later one.
select s.agent, m.sender, m.body, m.created_at as at, m.taint
  from ops.messages m
  join ops.sessions s on s.tenant_id = m.tenant_id and s.id = m.session_id and s.kind = 'thread' and not s.trigger ? 'client'
  join ops.principals p on p.tenant_id = m.tenant_id and p.actor = m.sender and p.kind in ('founder', 'device')
 where m.tenant_id = ops.tenant() and m.id = %(id)s
union all
select s.agent, p.actor, s.trigger ->> 'text', s.created_at, s.taint
  from ops.sessions s
  join ops.principals p on p.tenant_id = s.tenant_id and p.actor = s.trigger ->> 'from' and p.kind in ('founder', 'device')
 where s.tenant_id = ops.tenant() and s.id = %(id)s and s.kind = 'thread' and not s.trigger ? 'client';

-- name: said_lately_by_founder
-- What people said to an agent in its conversations since then, newest first; not what a program asked in their name.
with people as materialized (
    select p.actor from ops.principals p where p.tenant_id = ops.tenant() and p.kind in ('founder', 'device')
), said as (
    select s.agent, m.sender, m.body, m.created_at as at, m.taint
      from people p
      join ops.messages m on m.tenant_id = ops.tenant() and m.sender = p.actor and m.created_at >= %(since)s
      join ops.sessions s on s.tenant_id = ops.tenant() and s.id = m.session_id
     where s.agent = %(agent)s and s.kind = 'thread' and not s.trigger ? 'client'
    union all
    select s.agent, p.actor, s.trigger ->> 'text', s.created_at, s.taint
      from ops.sessions s
      join people p on p.actor = s.trigger ->> 'from'
     where s.tenant_id = ops.tenant() and s.agent = %(agent)s and s.created_at >= %(since)s and s.kind = 'thread'
       and not s.trigger ? 'client'
)
select agent, sender, body, at, taint from said where body is not null order by at desc limit %(limit)s;

-- name: last_said_by_founder
-- The newest message of a person in a conversation.
select s.agent, l.sender, l.body, l.at, l.taint
  from ops.sessions s
  cross join lateral (
      select m.sender, m.body, m.created_at as at, m.taint
        from ops.messages m
        join ops.principals p on p.tenant_id = m.tenant_id and p.actor = m.sender and p.kind in ('founder', 'device')
       where m.tenant_id = s.tenant_id and m.session_id = s.id
      union all
      select p.actor, s.trigger ->> 'text', s.created_at, s.taint
        from ops.principals p
       where p.tenant_id = s.tenant_id and p.actor = s.trigger ->> 'from' and p.kind in ('founder', 'device')
       order by 3 desc limit 1) l
 where s.tenant_id = ops.tenant() and s.id = %(session)s and s.kind = 'thread';

-- name: put_before
-- Of each ask, whether a card of it stands in a conversation, nobody has pressed it, and it was shown to whoever speaks; whether
-- anything was said there since, by whom ever but the house, or is being said just now; whether whoever talks there asked something
-- since, or before it, with no word of a person between: that a script understood nothing, and what waits, told again, asks nothing;
-- whether a model said anything at all before it; and whether what was said since a person spoke last asks something, by a script at its end.
select a.id as ask,
       c.step is not null and coalesce(case when %(shown_step)s::int is null then c.shown_at < %(shown_at)s::timestamptz
                                            else (%(thread)s::uuid, c.step) <= (%(shown_session)s::uuid, %(shown_step)s::int) end, false) as before,
       exists (select 1 from ops.cards o
                where o.tenant_id = a.tenant_id and o.ask = a.id and o.pressed is null) as carded,
       exists (select 1 from ops.messages m
                where m.tenant_id = a.tenant_id and m.session_id = %(thread)s and m.sender <> %(house)s
                  and (m.created_at > c.shown_at or m.step > c.step))
       or exists (select 1 from ops.drafts d
                   where d.tenant_id = a.tenant_id and d.session_id = %(thread)s and d.step > c.step and d.body <> '')
       or exists (select 1 from ops.journal j
                   where j.tenant_id = a.tenant_id and j.session_id = %(thread)s and j.step > c.step and j.kind = 'mind'
                     and j.payload @? '$.response.parts[*] ? (@.part_kind == "text" && @.content like_regex "[^[:space:]]")')
          as spoken_since,
       exists (select 1 from ops.journal j
                where j.tenant_id = a.tenant_id and j.session_id = %(thread)s and j.step > c.step and j.kind = 'mind'
                  and j.payload ->> 'model' !~ '^script:(unknown\.[a-z-]+|ceo\.undecided)(\+(unknown\.[a-z-]+|ceo\.undecided))*$'
                  and j.payload @? '$.response.parts[*] ? (@.part_kind == "text" && @.content like_regex "[?]")') as asked_since,
       exists (select 1 from ops.journal j
                where j.tenant_id = a.tenant_id and j.session_id = %(thread)s and j.step > w.step and j.step < c.step and j.kind = 'mind'
                  and j.payload ->> 'model' !~ '^script:(unknown\.[a-z-]+|ceo\.undecided)(\+(unknown\.[a-z-]+|ceo\.undecided))*$'
                  and exists (select 1 from jsonb_array_elements(j.payload -> 'response' -> 'parts') p (part)
                               where p.part ->> 'part_kind' = 'text' and p.part ->> 'content' ~* %(invites)s))
       or exists (select 1 from ops.messages m
                   where m.tenant_id = a.tenant_id and m.session_id = %(thread)s and m.sender like 'agent:%%'
                     and m.step > w.step and m.step < c.step and m.body ~* %(invites)s) as asked_before,
       exists (select 1 from ops.journal j
                where j.tenant_id = a.tenant_id and j.session_id = %(thread)s and j.step > w.step and j.step < c.step and j.kind = 'mind'
                  and j.payload ->> 'model' not like 'script:%%'
                  and j.payload @? '$.response.parts[*] ? (@.part_kind == "text" && @.content like_regex "[^[:space:]]")') as spoken_before,
       o.asked_open, c.step is not null as put
  from graph.nodes a
  cross join (select exists (select 1 from ops.journal j
                              where j.tenant_id = ops.tenant() and j.session_id = %(thread)s and j.step > l.step and j.kind = 'mind'
                                and exists (select 1 from jsonb_array_elements(j.payload -> 'response' -> 'parts') p (part)
                                             where p.part ->> 'part_kind' = 'text'
                                               and case when j.payload ->> 'model' ~ '^script:unknown\.[a-z-]+$' then false
                                                        when j.payload ->> 'model' like 'script:%%' then p.part ->> 'content' ~ '[?][[:space:]]*(<task-complete[^>]*>[[:space:]]*)?$'
                                                        else p.part ->> 'content' ~* %(invites)s end))
                  or exists (select 1 from ops.messages m
                              where m.tenant_id = ops.tenant() and m.session_id = %(thread)s and m.sender like 'agent:%%'
                                and m.step > l.step and m.body ~* %(invites)s) as asked_open
                from (select coalesce(max(m.step), 0) as step from ops.messages m
                       where m.tenant_id = ops.tenant() and m.session_id = %(thread)s
                         and m.sender <> %(house)s and m.sender not like 'agent:%%') l) o
  left join lateral (select c.shown_at, c.step from ops.cards c
                      where c.tenant_id = a.tenant_id and c.ask = a.id and c.session_id = %(thread)s
                        and c.shown_at is not null and c.pressed is null
                      order by c.step desc limit 1) c on true
  left join lateral (select coalesce(max(m.step), 0) as step from ops.messages m
                      where m.tenant_id = a.tenant_id and m.session_id = %(thread)s and m.step < c.step
                        and m.sender <> %(house)s and m.sender not like 'agent:%%') w on true
 where a.tenant_id = ops.tenant() and a.id = any(%(asks)s);

-- name: lists
-- Which asks a message lists.
update ops.messages set asks = %(asks)s where tenant_id = ops.tenant() and id = %(message)s;

-- name: last_house_list
-- The asks that the house listed last in a conversation, and what a person had said before that; nothing where a person spoke
-- since. Whether something else was put there; and what whoever talks there said since is told apart: a script has no words of its own
-- beside what it asks, a model has, and either may be asking something. What the house asks has no step as long as nobody took it up.
select n.asks, n.created_at as at,
       coalesce(p.body, (select s.trigger ->> 'text' from ops.sessions s
                          where s.tenant_id = ops.tenant() and s.id = %(thread)s)) as about,
       coalesce(p.sender, (select s.trigger ->> 'from' from ops.sessions s
                            where s.tenant_id = ops.tenant() and s.id = %(thread)s)) as told,
       exists (select 1 from ops.journal j
                where j.tenant_id = n.tenant_id and j.session_id = n.session_id and (j.step > n.step or j.created_at > n.created_at) and j.kind = 'mind'
                  and j.payload ->> 'model' not like 'script:%%'
                  and j.payload @? '$.response.parts[*] ? (@.part_kind == "text" && @.content like_regex "[^[:space:]]")') as spoken_since,
       exists (select 1 from ops.journal j
                where j.tenant_id = n.tenant_id and j.session_id = n.session_id and (j.step > n.step or j.created_at > n.created_at) and j.kind = 'mind'
                  and j.payload ->> 'model' !~ '^script:(unknown\.[a-z-]+|ceo\.undecided)(\+(unknown\.[a-z-]+|ceo\.undecided))*$'
                  and j.payload @? '$.response.parts[*] ? (@.part_kind == "text" && @.content like_regex "[?]")') as asked_since,
       exists (select 1 from ops.journal j
                 left join ops.cards c on c.tenant_id = j.tenant_id and c.id::text = j.payload ->> 'card'
                where j.tenant_id = n.tenant_id and j.session_id = n.session_id and (j.step > n.step or j.created_at > n.created_at) and j.payload ? 'card'
                  and (c.ask = any(n.asks)) is not true) as put_since
  from (select m.* from ops.messages m
         where m.tenant_id = ops.tenant() and m.session_id = %(thread)s order by m.created_at desc, m.id desc limit 1) n
  left join lateral (select m.body, m.sender from ops.messages m
                      where m.tenant_id = n.tenant_id and m.session_id = n.session_id and m.sender <> %(house)s
                      order by m.created_at desc, m.id desc limit 1) p on true
 where n.sender = %(house)s and n.asks is not null
   and not exists (select 1 from ops.drafts d
                    where d.tenant_id = n.tenant_id and d.session_id = n.session_id and d.body <> ''
                      and d.step > (select max(j.step) from ops.journal j where j.tenant_id = d.tenant_id and j.session_id = d.session_id));

-- name: last_script_list
-- The asks that the script which understands nothing listed, as the last thing in a conversation: what it read of them stands in
-- the journal, in their order. And what a person had said, where it was that which the script did not understand. Where another script
-- answered in the same breath (`beside`), it asked nothing, and only one thing was said that either may have answered.
select array(select (i.item ->> 'id')::uuid
               from jsonb_array_elements(v.payload -> 'data' -> 'items') with ordinality i (item, place) order by i.place) as asks,
       case when not exists (select 1 from ops.journal w
                              where w.tenant_id = f.tenant_id and w.session_id = f.session_id and w.kind = 'wake'
                                and w.step > coalesce(p.step, 0) and w.step < f.step)
            then coalesce(p.body, s.trigger ->> 'text') end as about,
       f.created_at as at, coalesce(p.sender, s.trigger ->> 'from') as told,
       (select string_agg(t.part ->> 'content', '') from jsonb_array_elements(f.payload -> 'response' -> 'parts') t (part)
         where t.part ->> 'part_kind' = 'text') as text,
       f.payload ->> 'model' !~ '^script:unknown\.[a-z-]+(\+unknown\.[a-z-]+)*$' as beside
  from (select j.* from ops.journal j
         where j.tenant_id = ops.tenant() and j.session_id = %(thread)s and j.kind = 'mind'
           and j.payload @? '$.response.parts[*] ? (@.part_kind == "text" && @.content like_regex "[^[:space:]]")'
         order by j.step desc limit 1) f
  join ops.sessions s on s.tenant_id = f.tenant_id and s.id = f.session_id
  join lateral (select j.step, j.payload from ops.journal j
                 where j.tenant_id = f.tenant_id and j.session_id = f.session_id and j.step < f.step and j.kind = 'verb'
                   and j.payload ->> 'verb' = 'ask.list' and (j.payload ->> 'ok')::boolean
                 order by j.step desc limit 1) v on true
  left join lateral (select m.body, m.step, m.sender from ops.messages m
                      where m.tenant_id = f.tenant_id and m.session_id = f.session_id and m.sender <> %(house)s
                      order by m.created_at desc, m.id desc limit 1) p on true
 where (f.payload ->> 'model' ~ '^script:unknown\.[a-z-]+(\+unknown\.[a-z-]+)*$'
        or f.payload ->> 'model' ~ '^script:([a-z.-]+\+)*unknown\.[a-z-]+(\+[a-z.-]+)*$'
           and (select count(*) from ops.messages m
                 where m.tenant_id = f.tenant_id and m.session_id = f.session_id and m.step = p.step and m.sender <> %(house)s) < 2
           and (select sum(regexp_count(regexp_replace(t.part ->> 'content', '“[^”]*”', '', 'g'), '[?]'))
                  from jsonb_array_elements(f.payload -> 'response' -> 'parts') t (part) where t.part ->> 'part_kind' = 'text') < 2)
   and not exists (select 1 from ops.journal w
                    where w.tenant_id = f.tenant_id and w.session_id = f.session_id and w.kind = 'wake'
                      and w.step > v.step and w.step < f.step)
   and not exists (select 1 from ops.messages m
                    where m.tenant_id = f.tenant_id and m.session_id = f.session_id
                      and (m.step is null or m.step > f.step))
   and not exists (select 1 from ops.drafts d
                    where d.tenant_id = f.tenant_id and d.session_id = f.session_id and d.body <> '' and d.step > f.step)
   and not exists (select 1 from ops.journal j
                    where j.tenant_id = f.tenant_id and j.session_id = f.session_id and j.step > f.step and j.payload ? 'card');

-- name: made_under
-- Whether the call of an answer was made, or is being made just now.
select exists (select 1 from ops.agent_actions a
                where a.tenant_id = ops.tenant() and a.idempotency_key = %(key)s and a.status in ('ok', 'waiting', 'begun'))
    or exists (select 1 from ops.effects e where e.tenant_id = ops.tenant() and e.idempotency_key = %(key)s) as made;

-- name: set_going
-- An answer set a call going, under that key. Of those before, what was made or has moved on needs nobody's eye any more.
with over as (
    delete from ops.ask_calls k
     where k.tenant_id = ops.tenant() and k.ask <> %(ask)s
       and (exists (select 1 from ops.agent_actions a
                     where a.tenant_id = k.tenant_id and a.idempotency_key = k.key and a.status = 'ok')
            or not exists (select 1 from graph.nodes n
                            where n.tenant_id = k.tenant_id and n.id = k.ask and n.status = k.status))
)
insert into ops.ask_calls (tenant_id, ask, key, status, answered_at)
values (ops.tenant(), %(ask)s, %(key)s, %(status)s, %(now)s)
on conflict (tenant_id, ask) do update
   set key = excluded.key, status = excluded.status, answered_at = excluded.answered_at;

-- name: tried
-- Whether a call followed from the answer that a call gave, whatever came of it.
select exists (select 1 from ops.agent_actions a where a.tenant_id = ops.tenant() and a.parent_id = %(action)s) as so;

-- name: let_go_faces
-- Its cards are as if nobody had pressed them.
update ops.cards set pressed = null, pressed_by = null, pressed_at = null where tenant_id = ops.tenant() and ask = %(ask)s;

-- name: tell_failed
-- Its cards say why what was pressed came to nothing, the last time.
select ops.tell_failed(%(ask)s, %(name)s, %(why)s);

-- name: reminded
-- When somebody was last reminded of it, and whether it was raised as urgent.
insert into ops.ask_faces (tenant_id, ask, channel, nudged_at, escalated_at)
values (ops.tenant(), %(ask)s, 'inbox', %(now)s, case when %(urgent)s then %(now)s::timestamptz end)
on conflict (tenant_id, ask, channel) do update
   set nudged_at = excluded.nudged_at, escalated_at = coalesce(excluded.escalated_at, ask_faces.escalated_at);

-- name: unwanted
-- Why nobody needs an answer any more, if so.
select why from ops.asks_due(%(now)s) where tenant_id = ops.tenant() and id = %(id)s and what = 'withdrawn';

-- name: grounds
-- By what each outside mark of an ask came into the session that asked: the first step there that bears it.
select distinct on (g.mark) g.mark, j.kind, a.action_type as verb, a.input, j.payload -> 'from' as senders, j.created_at as at
  from (select a.tenant_id, a.session_id
          from graph.versions v join ops.agent_actions a on a.tenant_id = v.tenant_id and a.seq = v.seq
         where v.tenant_id = ops.tenant() and v.item_id = %(ask)s
         order by v.seq limit 1) m
  join ops.journal j on j.tenant_id = m.tenant_id and j.session_id = m.session_id and j.payload ? 'taint'
  cross join lateral jsonb_array_elements_text(j.payload -> 'taint') g (mark)
  left join ops.agent_actions a on a.tenant_id = j.tenant_id and a.id = j.action_id
 order by g.mark, j.step;
