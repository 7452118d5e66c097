-- Written by `scripts/sql_views.py` from functions.sql; do not edit. What waited for somebody at a moment of the past, as far
-- as was known at another: the rule of what waits now, of the graph as it was.

create or replace function ops.asks_for_then(_tenant uuid, _to text, _now timestamptz, _known_at timestamptz, _upto bigint, _also bigint[], _verbs text[] default null) returns setof uuid
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
    select a.id
      from (
    select n.tenant_id, n.id, n.type, n.slug, n.status, n.title, n.props, n.taint, n.created_at, n.updated_at,
           coalesce(n.props ->> 'why', n.props ->> 'body', n.props ->> 'context_md', n.props ->> 'context') as says,
           coalesce(n.props ->> 'deadline', n.props ->> 'expires_at')::timestamptz as deadline,
           (n.props ->> 'defer_until')::timestamptz as defer_until, n.valid_to
      from graph.nodes_at(_now, _known_at, _upto, _also) n
     where n.archived_at is null and n.next_change_at is distinct from n.valid_from
       and (n.type, n.status) in (('approval', 'pending'), ('proposal', 'pending'), ('review', 'open'), ('review', 'deferred'), ('escalation', 'open'), ('question', 'open'), ('question', 'escalated'))) a
     where a.tenant_id = _tenant
       and coalesce(a.deadline > _now, true)
       and coalesce(a.defer_until <= _now, true)
       and coalesce(a.valid_to > _now, true)
       and (jsonb_typeof(a.props -> 'open_while') is distinct from 'array'
            or exists (select 1 from graph.edges_at(_now, _known_at, _upto, _also) e join graph.nodes_at(_now, _known_at, _upto, _also) n on n.tenant_id = e.tenant_id and n.id = e.to_id
                        where e.tenant_id = a.tenant_id and e.from_id = a.id and e.type = 'about' and e.live and graph.in_force(e, _now)
                          and a.props -> 'open_while' ? n.status))
       and (_to is null
            or exists (select 1 from graph.edges_at(_now, _known_at, _upto, _also) e join graph.nodes_at(_now, _known_at, _upto, _also) n on n.tenant_id = e.tenant_id and n.id = e.to_id
                        where e.tenant_id = a.tenant_id and e.from_id = a.id and e.type = 'addressed_to' and e.live and graph.in_force(e, _now)
                          and _to = case n.type when 'contact' then 'founder' else n.type || ':' || n.slug end)
            or _to = 'founder'
               and not exists (select 1 from graph.edges_at(_now, _known_at, _upto, _also) e
                                where e.tenant_id = a.tenant_id and e.from_id = a.id and e.type = 'addressed_to' and e.live
                                  and graph.in_force(e, _now))
            or a.type = 'approval' and a.props ->> 'verb' = any(_verbs) and ops.asked_by(a.tenant_id, a.id) is distinct from _to)
$$;

create or replace function ops.asks_then(_tenant uuid, _to text, _now timestamptz, _known_at timestamptz, _upto bigint, _also bigint[], _types text[] default null, _most int default 200,
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
      from (select o.* from ops.asks_for_then(_tenant, _to, _now, _known_at, _upto, _also, _verbs) w join (
    select n.tenant_id, n.id, n.type, n.slug, n.status, n.title, n.props, n.taint, n.created_at, n.updated_at,
           coalesce(n.props ->> 'why', n.props ->> 'body', n.props ->> 'context_md', n.props ->> 'context') as says,
           coalesce(n.props ->> 'deadline', n.props ->> 'expires_at')::timestamptz as deadline,
           (n.props ->> 'defer_until')::timestamptz as defer_until, n.valid_to
      from graph.nodes_at(_now, _known_at, _upto, _also) n
     where n.archived_at is null and n.next_change_at is distinct from n.valid_from
       and (n.type, n.status) in (('approval', 'pending'), ('proposal', 'pending'), ('review', 'open'), ('review', 'deferred'), ('escalation', 'open'), ('question', 'open'), ('question', 'escalated'))) o on o.tenant_id = _tenant and o.id = w
             where _types is null or o.type = any(_types)
             order by o.type in ('approval', 'proposal') desc, o.created_at, o.id
             limit _most) a
      left join lateral (
          select array_agg(case n.type when 'contact' then 'founder' else n.type || ':' || n.slug end order by e.id) as addressed
            from graph.edges_at(_now, _known_at, _upto, _also) e join graph.nodes_at(_now, _known_at, _upto, _also) n on n.tenant_id = e.tenant_id and n.id = e.to_id
           where e.tenant_id = a.tenant_id and e.from_id = a.id and e.type = 'addressed_to' and e.live and graph.in_force(e, _now)) t on true
      left join lateral (
          select n.slug, n.title from graph.edges_at(_now, _known_at, _upto, _also) e join graph.nodes_at(_now, _known_at, _upto, _also) n on n.tenant_id = e.tenant_id and n.id = e.to_id
           where e.tenant_id = a.tenant_id and e.from_id = a.id and e.type = 'for_mission' and e.live and graph.in_force(e, _now) limit 1) m on true
      left join lateral (
          select n.slug from graph.edges_at(_now, _known_at, _upto, _also) e join graph.nodes_at(_now, _known_at, _upto, _also) n on n.tenant_id = e.tenant_id and n.id = e.to_id
           where e.tenant_id = a.tenant_id and e.from_id = a.id and e.type = 'about' and e.live and graph.in_force(e, _now) limit 1) b on true
      left join lateral (
          select x.id from ops.cards x
           where x.tenant_id = a.tenant_id and x.ask = a.id and x.shown_at <= least(_now, _known_at) order by x.id desc limit 1) c on true
      cross join lateral (select ops.asked_by(a.tenant_id, a.id) as actor) q
     order by a.type in ('approval', 'proposal') desc, a.created_at, a.id
$$;

create or replace function ops.my_asks_then(_to text, _now timestamptz, _known_at timestamptz, _upto bigint, _also bigint[], _types text[] default null, _most int default 200,
                                       _verbs text[] default null)
    returns table (id uuid, type text, slug text, status text, title text, says text, props jsonb, taint text[],
                   at timestamptz, updated_at timestamptz, asked_by text, agent text, mission text, mission_title text,
                   about text, addressed text[], deadline timestamptz, card uuid)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
    select * from ops.asks_then(ops.tenant(), _to, _now, _known_at, _upto, _also, _types, _most, _verbs)
$$;

revoke all on function ops.asks_for_then, ops.asks_then, ops.my_asks_then from public;
grant execute on function ops.my_asks_then to {app};
