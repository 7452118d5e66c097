-- Missions: what they have promised to their parts, and what the house has to look after in every company.

-- What a mission has promised to its open parts beyond what they used already. One part may be left out, to see what
-- there would be without it.
create or replace function ops.promised(_mission uuid, _except uuid) returns table (tokens numeric, usd numeric)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select coalesce(sum(greatest((c.props ->> 'token_budget')::numeric - coalesce(m.total_tokens, 0), 0)), 0),
           coalesce(sum(greatest((c.props ->> 'cost_limit')::numeric - coalesce(m.total_usd, 0), 0)), 0)
      from graph.edges e
      join graph.nodes c on c.tenant_id = e.tenant_id and c.id = e.from_id
      left join ops.meters m on m.tenant_id = e.tenant_id and m.scope = 'mission:' || c.id
     where e.tenant_id = ops.tenant() and e.type = 'parent_mission' and e.to_id = _mission and e.live
       and c.archived_at is null and not ops.mission_is(c.status, 'over') and c.id is distinct from _except;
end;

revoke all on function ops.promised from public;
grant execute on function ops.promised to {app};

-- What is due in every company: missions past their deadline that nobody was told of, missions that were given out and
-- have nothing left to wait for, escalations that an agent has not answered for too long.
create or replace function ops.work_due(_patience interval, _now timestamptz)
    returns table (tenant_id uuid, what text, id uuid, slug text)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select m.tenant_id, 'deadline', m.id, m.slug
      from graph.nodes m
     where m.type = 'mission' and m.archived_at is null
       and ops.mission_is(m.status, 'at_work')
       and (m.props ->> 'deadline')::timestamptz <= _now
       and ops.clock_stop(m.tenant_id, array[m.id], _now) is null
       and exists (select 1 from graph.edges e
                    where e.tenant_id = m.tenant_id and e.from_id = m.id and e.type = 'assigned_to' and e.live)
       and not exists (select 1 from graph.nodes x
                        where x.tenant_id = m.tenant_id and x.type = 'escalation' and x.external_source = 'escalation'
                          and x.external_id like 'deadline:' || m.id || ':%'
                          and x.created_at >= (m.props ->> 'deadline')::timestamptz)
    union all
    select m.tenant_id, 'ready', m.id, m.slug
      from graph.nodes m
     where m.type = 'mission' and m.archived_at is null and m.status = 'assigned'
       -- Whom nobody lets work starts nothing, however often it is asked to.
       and exists (select 1 from graph.edges e
                     join graph.nodes a on a.tenant_id = e.tenant_id and a.id = e.to_id and a.type = 'agent'
                    where e.tenant_id = m.tenant_id and e.from_id = m.id and e.type = 'assigned_to' and e.live
                      and ops.clock_stop(m.tenant_id, array[m.id, a.id], _now) is null)
       and exists (select 1 from graph.edges e
                    where e.tenant_id = m.tenant_id and e.from_id = m.id and e.type = 'depends_on' and e.live)
       and not exists (select 1 from graph.edges e
                         join graph.nodes o on o.tenant_id = e.tenant_id and o.id = e.to_id and o.archived_at is null
                        where e.tenant_id = m.tenant_id and e.from_id = m.id and e.type = 'depends_on' and e.live
                          and o.status not in ('done', 'accepted', 'shipped', 'superseded'))
       and not exists (select 1 from ops.sessions s
                        where s.tenant_id = m.tenant_id and s.trigger ->> 'mission' = m.id::text)
    union all
    select x.tenant_id, 'stale', x.id, x.slug
      from graph.nodes x
     where x.type = 'escalation' and x.archived_at is null and ops.ask_waits(x.type, x.status) and x.updated_at <= _now - _patience
       and exists (select 1 from graph.edges e
                     join graph.nodes a on a.tenant_id = e.tenant_id and a.id = e.to_id and a.type = 'agent'
                    where e.tenant_id = x.tenant_id and e.from_id = x.id and e.type = 'addressed_to' and e.live)
    union all
    -- What an older hq left waiting: newer ones get their ask in the call that makes them.
    select w.tenant_id, 'unasked', w.id, w.slug
      from (select m.tenant_id, m.id, m.slug, case m.status when 'planning' then 'plan' else 'terms' end as kind
              from graph.nodes m
             where m.type = 'mission' and m.archived_at is null
               and (m.status = 'planning' and m.props -> 'plan' -> 0 is not null and m.props ->> 'plan_accepted_at' is null
                    or m.status = 'assigned' and m.props ->> 'counter' is not null)
            union all
            select d.tenant_id, d.id, d.slug, 'delegation'
              from graph.nodes d where d.type = 'delegation' and d.status = 'requested' and d.archived_at is null) w
     where not exists (select 1 from graph.edges e
                         join graph.nodes p on p.tenant_id = e.tenant_id and p.id = e.from_id and p.type = 'proposal'
                        where e.tenant_id = w.tenant_id and e.to_id = w.id and e.type = 'about' and p.props ->> 'kind' = w.kind)
    limit 100;
end;

revoke all on function ops.work_due from public;
grant execute on function ops.work_due to {app};
