-- name: company_now
-- What is so now, for one agent: who works on what, what moves or is stuck, what ended, what is left to spend.
with me as (
    select a.id, a.slug, %(all)s::boolean as sees_all from graph.nodes a
     where a.tenant_id = ops.tenant() and a.type = 'agent' and a.slug = %(agent)s
), work as materialized (
    select m.id, m.type, m.slug, m.title, m.status, m.updated_at, m.taint, m.props,
           (m.props ->> 'deadline')::timestamptz as deadline,
           (select a.slug from graph.edges e join graph.nodes a on a.tenant_id = e.tenant_id and a.id = e.to_id
             where e.tenant_id = m.tenant_id and e.from_id = m.id and graph.means(e.type, 'does') and e.live limit 1) as agent
      from graph.nodes m, me
     where m.tenant_id = ops.tenant() and graph.means(m.type, 'work') and m.archived_at is null
       and (not graph.over(m.type, m.status) or m.updated_at > %(since)s)
       and (me.sees_all
            or exists (select 1 from graph.edges e
                        where e.tenant_id = m.tenant_id and e.from_id = m.id and e.to_id = me.id and e.live
                          and (graph.means(e.type, 'does') or graph.means(e.type, 'gives'))))
       -- A part is told with the whole, unless it is somebody's own or stands in the way.
       and not (me.sees_all and m.status <> 'failed'
                and coalesce((m.props ->> 'deadline')::timestamptz > %(now)s, true)
                and exists (select 1 from graph.edges e
                             where e.tenant_id = m.tenant_id and e.from_id = m.id and graph.means(e.type, 'part') and e.live))
     order by m.updated_at desc
     limit 60
), live as materialized (
    select s.agent, s.trigger ->> 'mission' as mission, s.state, s.created_at
      from ops.sessions s
     where s.tenant_id = ops.tenant() and s.kind = 'agent' and ops.live(s.state)
)
select
    coalesce((select jsonb_agg(to_jsonb(x)) from (
        select a.slug, a.props ->> 'role' as role, a.status, s.state,
               -- What its session is for; else what it has in hand.
               coalesce(s.mission, (select m.slug from graph.edges e
                                      join graph.nodes m on m.tenant_id = e.tenant_id and m.id = e.from_id
                                     where e.tenant_id = a.tenant_id and e.to_id = a.id and graph.means(e.type, 'does') and e.live
                                       and graph.means(m.type, 'work') and graph.in_hand(m.type, m.status)
                                       and s.state is null
                                     order by m.status = 'in_progress' desc, m.updated_at desc limit 1)) as mission
          from me, graph.nodes a
          left join lateral (select l.state, m.slug as mission from live l
                               left join graph.nodes m on m.tenant_id = ops.tenant() and m.id::text = l.mission
                              where l.agent = a.slug
                              order by l.state = 'waiting', m.slug is null, l.created_at desc limit 1) s on true
         where me.sees_all and a.tenant_id = ops.tenant() and a.type = 'agent' and a.archived_at is null
           and not graph.over(a.type, a.status) and a.props ->> 'kind' <> 'subagent' and a.id <> me.id
         order by a.created_at limit 30) x), '[]') as staff,
    coalesce((select jsonb_agg(to_jsonb(x)) from (
        select p.number, p.title, o.title as organisation from me, graph.nodes p
          join graph.edges i on i.tenant_id = p.tenant_id and i.from_id = p.id and i.type = 'in_organisation' and i.live
          join graph.nodes o on o.tenant_id = i.tenant_id and o.id = i.to_id
         where me.sees_all and p.tenant_id = ops.tenant() and p.type = 'position' and p.archived_at is null
           and not exists (select 1 from ops.seats s where s.tenant_id = p.tenant_id and s.position = p.id)
         order by p.number limit 8) x), '[]') as vacant,
    coalesce((select jsonb_agg(to_jsonb(x)) from (
        select w.slug, w.title, w.status, graph.in_hand(w.type, w.status) as in_hand, w.agent, w.deadline, w.taint, w.props ->> 'status_reason' as why,
               (w.props ->> 'counter') is not null as countered, p.parts, p.done, p.agents as part_agents,
               exists (select 1 from live l where l.mission = w.id::text) as moves,
               (select s.closed_as from ops.sessions s
                 where s.tenant_id = ops.tenant() and s.kind = 'agent' and s.trigger ->> 'mission' = w.id::text
                   and s.agent = w.agent and not ops.live(s.state)
                 order by s.created_at desc limit 1) as stopped
          from work w
          cross join lateral (select count(distinct c.id) as parts, count(distinct c.id) filter (where c.status = 'done') as done,
                                     array_agg(distinct a.slug) filter (where a.slug is not null and not graph.over(c.type, c.status)) as agents
                                from graph.edges e join graph.nodes c on c.tenant_id = e.tenant_id and c.id = e.from_id
                                left join graph.edges d on d.tenant_id = e.tenant_id and d.from_id = c.id and graph.means(d.type, 'does') and d.live
                                left join graph.nodes a on a.tenant_id = e.tenant_id and a.id = d.to_id
                               where e.tenant_id = ops.tenant() and e.to_id = w.id and graph.means(e.type, 'part') and e.live
                                 and c.archived_at is null) p
         where not graph.over(w.type, w.status)
         order by w.deadline < %(now)s desc nulls last, w.status = 'backlog',
                  array_position(array['critical', 'high', 'medium', 'low'], w.props ->> 'priority'), w.updated_at desc
         limit 12) x), '[]') as missions,
    (select count(*) from work w where not graph.over(w.type, w.status)) as open_missions,
    coalesce((select jsonb_agg(to_jsonb(x)) from (
        select w.slug, w.title, w.agent, w.taint,
               case when w.status = 'failed' and (w.props ->> 'called_off')::boolean then 'called off'
                    when w.status = 'taken_back' then 'taken back' else w.status end as status,
               case w.status when 'taken_back' then null
                    when 'failed' then coalesce(w.props ->> 'status_reason', w.props ->> 'outcome_summary')
                    else coalesce(w.props ->> 'outcome_summary', w.props ->> 'status_reason') end as says
          from work w where graph.over(w.type, w.status) order by w.updated_at desc limit 5) x), '[]') as ended,
    coalesce((select jsonb_agg(to_jsonb(x)) from (
        select f.slug, f.props ->> 'content' as content, f.props ->> 'source' as source, f.taint
          from graph.nodes f, me
         where me.sees_all and f.tenant_id = ops.tenant() and f.type = 'org_memory' and f.status = 'pending'
           and f.archived_at is null
         order by f.taint <> '{}', f.created_at limit 6) x), '[]') as findings,
    (select count(*)::int from graph.nodes f, me
      where me.sees_all and f.tenant_id = ops.tenant() and f.type = 'org_memory' and f.status = 'pending'
        and f.archived_at is null) as pending,
    coalesce((select jsonb_agg(to_jsonb(x)) from (
        select l.scope, l.period, l.usd_hard, l.tokens_hard, u.usd, u.tokens
          from ops.limits(ops.scopes_of(%(agent)s, %(mission)s)) l
          cross join lateral ops.used(l.scope, l.period, null, %(now)s) u
         where l.period in ('day', 'total') and num_nonnulls(l.usd_hard, l.tokens_hard) > 0
         order by l.scope) x), '[]') as limits,
    ops.asks_waiting(null, %(now)s) > 0 as asks,
    array(select w.id from unnest(%(places)s::uuid[]) w(id)
           where exists (select 1 from graph.edges e
                          where e.tenant_id = ops.tenant() and e.to_id = w.id and e.type = 'curated_for' and e.live)) as curated;
