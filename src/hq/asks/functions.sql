-- Asks: what waits for whose word, found without asking any model. The view `ops.open_asks` is in life.sql.

-- Who asked: who made the call that waits, whom it is asked for, or whoever wrote it down.
create or replace function ops.asked_by(_tenant uuid, _ask uuid) returns text
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
    select coalesce(
        (select n.props ->> 'requester' from graph.nodes n where n.tenant_id = _tenant and n.id = _ask),
        (select 'agent:' || n.slug from graph.edges e join graph.nodes n on n.tenant_id = e.tenant_id and n.id = e.to_id
          where e.tenant_id = _tenant and e.from_id = _ask and e.type = 'requested_by' and e.live and graph.means(n.type, 'actor')),
        (select v.actor from graph.versions v where v.tenant_id = _tenant and v.item_id = _ask order by v.seq limit 1))
$$;

-- Which asks wait for somebody in one company: for `founder`, for an actor such as `agent:chief`, or for anybody; and, of calls
-- that wait for a yes, those of these verbs, but for whoever asked. What was put off is there again once its time has come; what
-- nobody needs any more is not there. The same of the past is then.sql, written from here.
create or replace function ops.asks_for(_tenant uuid, _to text, _now timestamptz, _verbs text[] default null) returns setof uuid
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
    select a.id
      from ops.open_asks a
     where a.tenant_id = _tenant
       and coalesce(a.deadline > _now, true)
       and coalesce(a.defer_until <= _now, true)
       and coalesce(a.valid_to > _now, true)
       and (jsonb_typeof(a.props -> 'open_while') is distinct from 'array'
            or exists (select 1 from graph.edges e join graph.nodes n on n.tenant_id = e.tenant_id and n.id = e.to_id
                        where e.tenant_id = a.tenant_id and e.from_id = a.id and e.type = 'about' and e.live and graph.in_force(e, _now)
                          and a.props -> 'open_while' ? n.status))
       and (_to is null
            or exists (select 1 from graph.edges e join graph.nodes n on n.tenant_id = e.tenant_id and n.id = e.to_id
                        where e.tenant_id = a.tenant_id and e.from_id = a.id and e.type = 'addressed_to' and e.live and graph.in_force(e, _now)
                          and _to = case n.type when 'contact' then 'founder' else n.type || ':' || n.slug end)
            or _to = 'founder'
               and not exists (select 1 from graph.edges e
                                where e.tenant_id = a.tenant_id and e.from_id = a.id and e.type = 'addressed_to' and e.live
                                  and graph.in_force(e, _now))
            or a.type = 'approval' and a.props ->> 'verb' = any(_verbs) and ops.asked_by(a.tenant_id, a.id) is distinct from _to)
$$;

-- The same with what whoever answers has to know of each, of some types or of any, so many at most: what asks for a permission
-- first, whatever else was asked before it; of these and of the others the oldest first.
create or replace function ops.asks(_tenant uuid, _to text, _now timestamptz, _types text[] default null, _most int default 200,
                                    _verbs text[] default null)
    returns table (id uuid, type text, slug text, status text, title text, says text, props jsonb, taint text[],
                   at timestamptz, updated_at timestamptz, asked_by text, agent text, mission text, mission_title text,
                   about text, addressed text[], deadline timestamptz, card uuid)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
    select a.id, a.type, a.slug, a.status, a.title, a.says, a.props, a.taint, a.created_at, a.updated_at, q.actor,
           case when q.actor ~ '^(agent|worker):' then split_part(split_part(q.actor, ':', 2), '/', 1) end,
           m.slug, m.title, b.slug, t.addressed, a.deadline, c.id
      from (select o.* from ops.asks_for(_tenant, _to, _now, _verbs) w join ops.open_asks o on o.tenant_id = _tenant and o.id = w
             where _types is null or o.type = any(_types)
             order by o.type in ('approval', 'proposal') desc, o.created_at, o.id
             limit _most) a
      left join lateral (
          select array_agg(case n.type when 'contact' then 'founder' else n.type || ':' || n.slug end order by e.id) as addressed
            from graph.edges e join graph.nodes n on n.tenant_id = e.tenant_id and n.id = e.to_id
           where e.tenant_id = a.tenant_id and e.from_id = a.id and e.type = 'addressed_to' and e.live and graph.in_force(e, _now)) t on true
      left join lateral (
          select n.slug, n.title from graph.edges e join graph.nodes n on n.tenant_id = e.tenant_id and n.id = e.to_id
           where e.tenant_id = a.tenant_id and e.from_id = a.id and e.type = 'for_mission' and e.live and graph.in_force(e, _now) limit 1) m on true
      left join lateral (
          select n.slug from graph.edges e join graph.nodes n on n.tenant_id = e.tenant_id and n.id = e.to_id
           where e.tenant_id = a.tenant_id and e.from_id = a.id and e.type = 'about' and e.live and graph.in_force(e, _now) limit 1) b on true
      left join lateral (
          select x.id from ops.cards x
           where x.tenant_id = a.tenant_id and x.ask = a.id and x.shown_at <= _now order by x.id desc limit 1) c on true
      cross join lateral (select ops.asked_by(a.tenant_id, a.id) as actor) q
     order by a.type in ('approval', 'proposal') desc, a.created_at, a.id
$$;

-- The same in the caller's company.
create or replace function ops.my_asks(_to text, _now timestamptz, _types text[] default null, _most int default 200,
                                       _verbs text[] default null)
    returns table (id uuid, type text, slug text, status text, title text, says text, props jsonb, taint text[],
                   at timestamptz, updated_at timestamptz, asked_by text, agent text, mission text, mission_title text,
                   about text, addressed text[], deadline timestamptz, card uuid)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
    select * from ops.asks(ops.tenant(), _to, _now, _types, _most, _verbs)
$$;

-- How many wait in the caller's company: this is asked many times a second.
create or replace function ops.asks_waiting(_to text, _now timestamptz) returns bigint
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
    select count(*) from ops.asks_for(ops.tenant(), _to, _now)
$$;

-- Who asked, in the caller's company.
create or replace function ops.who_asked(_ask uuid) returns text
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
    select ops.asked_by(ops.tenant(), _ask)
$$;

-- What is due about asks in every company, one thing for each. `withdrawn`: who asked is gone, or what it is about has moved on.
-- `expired`: its time is over. `unfinished`: it was answered, and a minute later the call of that answer was not even begun:
-- the process that would have made it is gone. `escalated` and `nudged`: somebody waits for the founder since 48 hours, since
-- 24, since 4; each is told once.
create or replace function ops.asks_due(_now timestamptz)
    returns table (tenant_id uuid, what text, id uuid, slug text, why text)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
    with open as (
        select a.*, coalesce(f.nudged_at, (a.props ->> 'nudged_at')::timestamptz) as nudged_at,
               coalesce(f.escalated_at, (a.props ->> 'escalated_at')::timestamptz) as escalated_at,
               ops.asked_by(a.tenant_id, a.id) as actor
          from ops.open_asks a
          left join ops.ask_faces f on f.tenant_id = a.tenant_id and f.ask = a.id and f.channel = 'inbox'
         where coalesce(a.valid_to > _now, true)
    ), unwanted as (
        select o.tenant_id, o.id, coalesce(
                   case when o.type = 'approval' then
                       (select 'the session that asked is over: ' || coalesce(s.closed_as, s.state)
                          from ops.agent_actions c
                          join ops.sessions s on s.tenant_id = c.tenant_id and s.id = c.session_id
                         where c.tenant_id = o.tenant_id and c.target_id = o.id and c.status = 'waiting'
                           and s.kind <> 'thread'  -- a conversation goes on in its next session
                           and not ops.live(s.state)
                         limit 1) end,
                   (select n.slug || ' asked, and is ' || case when n.archived_at is null then n.status else 'archived' end
                      from graph.nodes n
                     where n.tenant_id = o.tenant_id and graph.means(n.type, 'actor') and o.actor like 'agent:%'
                       and n.slug = split_part(split_part(o.actor, ':', 2), '/', 1)
                       and (graph.over(n.type, n.status) or n.archived_at is not null)),
                   (select n.slug || ' is ' || case when n.archived_at is null then n.status else 'archived' end
                      from graph.edges e join graph.nodes n on n.tenant_id = e.tenant_id and n.id = e.to_id
                     where e.tenant_id = o.tenant_id and e.from_id = o.id and e.type = 'for_mission' and e.live
                       and o.type in ('escalation', 'question') and (graph.over(n.type, n.status) or n.archived_at is not null)
                     limit 1),
                   (select n.slug || ' is ' || case when n.archived_at is null then n.status else 'archived' end
                      from graph.edges e join graph.nodes n on n.tenant_id = e.tenant_id and n.id = e.to_id
                     where e.tenant_id = o.tenant_id and e.from_id = o.id and e.type = 'about' and e.live
                       and jsonb_typeof(o.props -> 'open_while') = 'array'
                       and (not o.props -> 'open_while' ? n.status and n.status <> 'paused' or n.archived_at is not null)
                     limit 1),
                   -- Means for what is over nobody needs, nor a warning of a limit that was changed since, or that more is asked of by now.
                   (select n.slug || ' is ' || n.status
                      from graph.edges e join graph.nodes n on n.tenant_id = e.tenant_id and n.id = e.to_id
                     where e.tenant_id = o.tenant_id and e.from_id = o.id and e.type = 'about' and e.live and o.type = 'approval'
                       and o.props ->> 'verb' like 'budget.%' and graph.means(n.type, 'work') and graph.over(n.type, n.status)
                     limit 1),
                   (select 'the limit of ' || (b.option -> 'args' ->> 'on') || ' was changed since, or whoever stands at it asks for more'
                      from jsonb_array_elements(case when jsonb_typeof(o.props -> 'options') = 'array' then o.props -> 'options' end) b (option)
                     where o.type = 'question' and b.option ->> 'verb' = 'budget.raise'
                       and exists (select 1 from ops.agent_actions c
                                    where c.tenant_id = o.tenant_id and c.action_type in ('budget.raise', 'budget.set')
                                      and c.status in ('ok', 'waiting') and c.created_at > o.created_at
                                      and c.input ->> 'on' = b.option -> 'args' ->> 'on')
                     limit 1),
                   -- Whether to wait for a model that is away is no question once it is back, or nobody has wanted it for long.
                   (select 'a model answers again'
                     where o.type = 'question' and o.props -> 'options' @> '[{"verb": "mind.retry"}]'
                       and not exists (select 1 from ops.mind_doors d
                                        where d.tenant_id = o.tenant_id and not d.refused and not d.unproven
                                          and d.closed_until > _now - interval '15 minutes'))) as why
          from open o
    ), due (tenant_id, what, id, slug, why) as (
        select o.tenant_id,
               case when u.why is not null then 'withdrawn'
                    when o.deadline <= _now then 'expired'
                    when o.defer_until > _now
                         -- What the CEO asks of itself with a card, nobody waits for.
                         or o.type = 'question' and o.props ->> 'kind' is distinct from 'message'
                         or exists (select 1 from graph.edges e
                                      join graph.nodes n on n.tenant_id = e.tenant_id and n.id = e.to_id and n.type <> 'contact'
                                     where e.tenant_id = o.tenant_id and e.from_id = o.id and e.type = 'addressed_to' and e.live)
                    then null
                    when o.created_at <= _now - interval '48 hours' then case when o.escalated_at is null then 'escalated' end
                    when o.created_at <= _now - interval '24 hours' then
                        case when o.nudged_at < o.created_at + interval '24 hours' is not false then 'nudged' end
                    when o.created_at <= _now - interval '4 hours' and o.nudged_at is null then 'nudged' end,
               o.id, o.slug, u.why
          from open o join unwanted u on u.tenant_id = o.tenant_id and u.id = o.id
        union all
        select k.tenant_id, 'unfinished', n.id, n.slug, null
          from ops.ask_calls k
          join graph.nodes n on n.tenant_id = k.tenant_id and n.id = k.ask and n.status = k.status and n.archived_at is null
         where k.answered_at <= _now - interval '1 minute'
           and not exists (select 1 from ops.agent_actions c
                            where c.tenant_id = k.tenant_id and c.idempotency_key = k.key and c.status in ('ok', 'waiting', 'begun'))
           and not exists (select 1 from ops.effects x where x.tenant_id = k.tenant_id and x.idempotency_key = k.key)
    )
    -- Some of each company: what cannot be done in one of them keeps none of the others waiting.
    select d.tenant_id, d.what, d.id, d.slug, d.why
      from (select *, row_number() over (partition by tenant_id order by id) as place from due where what is not null) d
     where d.place <= 100
$$;

-- What the founder can do with what a mission made: wherever it is said that it is done.
create or replace function ops.mission_offers(_mission text) returns jsonb
    language sql immutable
    set search_path = pg_catalog, pg_temp
return jsonb_build_array(
    jsonb_build_object('label', 'Open', 'link', '/missions/' || _mission || '/open', 'command', 'hq mission open ' || _mission),
    jsonb_build_object('label', 'Files', 'link', '/missions/' || _mission || '/files', 'command', 'hq mission files ' || _mission),
    jsonb_build_object('label', 'Changes', 'link', '/missions/' || _mission || '/changes', 'command', 'hq mission changes ' || _mission),
    jsonb_build_object('label', 'Ask for a change', 'link', '/missions/' || _mission || '#change',
                       'command', 'hq mission change ' || _mission || ' "…"'));

-- A card as every face has it, or had it then: what it says, its buttons, and whether it still asks for anything.
create or replace function ops.card_shape(_card uuid, _now timestamptz, _then timestamptz default null) returns jsonb
    language sql stable
    set search_path = pg_catalog, pg_temp
begin atomic
    select jsonb_strip_nulls(jsonb_build_object(
               'id', c.id, 'kind', c.kind, 'severity', c.severity, 'title', c.title, 'text', nullif(c.body, ''),
               'facts', c.facts, 'buttons', c.buttons, 'remark', c.remark, 'asks', c.asks, 'ask', k.slug, 'about', a.slug, 'by', c.agent,
               'name', w.title, 'gate', k.props ->> 'gate',
               'offers', case when _then is not null then null
                              when a.props ->> 'files_at' is not null then ops.mission_offers(a.slug)
                              -- What the parts of a whole made: each of them is changed by itself.
                              when a.props ->> 'brought' is not null then ops.mission_offers(a.slug) - 3 end,
               'state', z.state, 'became', case when z.state = 'over' and _then is null then coalesce(
                   (select o.payload ->> 'why' from ops.outbox o
                     where o.tenant_id = c.tenant_id and o.seq = k.seq and o.payload ->> 'id' = k.id::text and o.payload ? 'why' limit 1),
                   a.slug || ' is ' || case when s.status <> all (c.open_while) then replace(s.status, '_', ' ') end) end,
               'pressed', p.button, 'pressed_by', case when p.button is not null then c.pressed_by end,
               'answer', case when p.button is null then said.answer end,
               'answered_by', case when p.button is null and said.answer is not null then said.by end,
               'at', c.created_at))
      from ops.cards c
      left join graph.nodes a on a.tenant_id = c.tenant_id and a.id = c.about
      left join graph.nodes w on w.tenant_id = c.tenant_id and w.slug = c.agent
      cross join lateral (select case when _then is null or c.pressed_at <= _then then c.pressed end as button) p
      cross join lateral (select case when _then is null then a.status
                                      else (select v.doc ->> 'status'
                                              from graph.version_at(a.tenant_id, a.id, _then, _then, null, null) v)
                                 end as status) s
      left join graph.nodes k on k.tenant_id = c.tenant_id and k.id = c.ask
      cross join lateral (select case when _then is null then k.status
                                      else (select v.doc ->> 'status'
                                              from graph.version_at(k.tenant_id, k.id, _then, _then, null, null) v)
                                 end as status) q
      cross join lateral (select case when c.shown_at > _then then 'held'
                                      when p.button is not null then 'pressed'
                                      when c.expires_at <= coalesce(_then, _now) then 'over'
                                      when q.status is not null and not ops.ask_waits(k.type, q.status) then 'over'
                                      when c.open_while is not null and s.status <> all (c.open_while) then 'over'
                                      when c.shown_at is null then 'held'
                                      else 'open' end as state) z
      -- Of a question that was answered in words, which are no button, what was said and by whom.
      left join lateral (select left(coalesce(k.props ->> 'answer', k.props ->> 'resolution'), 300) as answer,
                                coalesce(k.props ->> 'answered_by', k.props ->> 'decided_by') as by
                          where q.status in ('answered', 'resolved')) said on true
     where c.tenant_id = ops.tenant() and c.id = _card;
end;

-- The cards of an ask say why what was pressed came to nothing, the last time.
create or replace function ops.tell_failed(_ask uuid, _name text, _why text) returns void
    language sql security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    update ops.cards c
       set facts = coalesce((select jsonb_agg(f) from jsonb_array_elements(c.facts) f where f ->> 'name' <> _name), '[]')
                   || jsonb_build_array(jsonb_build_object('name', _name, 'value', _why))
     where c.tenant_id = ops.tenant() and c.ask = _ask;
end;

revoke all on function ops.asks_due, ops.card_shape, ops.mission_offers, ops.tell_failed from public;
grant execute on function ops.asks_due, ops.card_shape, ops.mission_offers, ops.tell_failed to {app};
revoke all on function ops.asks_for, ops.asks, ops.asked_by, ops.my_asks, ops.asks_waiting, ops.who_asked from public;
grant execute on function ops.my_asks, ops.asks_waiting, ops.who_asked to {app};
