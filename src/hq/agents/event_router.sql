-- name: news
-- Events since the router was here, with who caused each; whole calls only.
select o.seq, o.ordinal, o.topic, o.payload, o.created_at, a.actor, a.taint, s.id as session, s.agent as cause,
       (s.trigger ->> 'hops')::integer as hops, coalesce((s.trigger ->> 'root')::uuid, s.id) as root
  from ops.outbox o
  join ops.agent_actions a on a.tenant_id = o.tenant_id and a.seq = o.seq
  left join ops.sessions s on s.tenant_id = o.tenant_id and s.id = ops.head_session(a.session_id)
 where o.tenant_id = ops.tenant() and o.seq > %(upto)s
   and o.seq <= (select max(x.seq) from (select b.seq from ops.outbox b, ops.announcer c
                                          where b.tenant_id = ops.tenant() and b.seq > %(upto)s and b.seq <= c.chained
                                          order by b.seq limit %(limit)s) x)
 order by o.seq, o.ordinal;

-- name: upto
-- How far events were routed here.
select upto from ops.jobs where tenant_id = ops.tenant() and name = 'route';

-- name: routed
-- The router was here.
update ops.jobs set upto = %(upto)s where tenant_id = ops.tenant() and name = 'route' and upto < %(upto)s;

-- name: hold
-- An event waits for an agent.
insert into ops.wakes (tenant_id, agent, seq, ordinal, topic, payload, taint, hops, root, created_at)
values (ops.tenant(), %(agent)s, %(seq)s, %(ordinal)s, %(topic)s, %(payload)s, %(taint)s, %(hops)s, %(root)s, %(at)s)
on conflict do nothing;

-- name: held
-- How much waits for whom, and whether each is at work.
select w.agent, w.many, n.status, s.fresh, s.busy, s.last_at
  from (select agent, count(*) as many, min(seq) as first from ops.wakes where tenant_id = ops.tenant() group by agent) w
  left join graph.nodes n on n.tenant_id = ops.tenant() and n.slug = w.agent and n.type = 'agent'
  cross join lateral (
      select bool_or(x.state = 'running' or x.trigger_kind <> 'outbox'
                     or exists (select 1 from ops.journal j where j.tenant_id = x.tenant_id and j.session_id = x.id)
                    ) as busy,
             (array_agg(x.id) filter (where x.state = 'queued' and x.trigger_kind = 'outbox'))[1] as fresh,
             (select max(l.created_at) from ops.sessions l
               where l.tenant_id = ops.tenant() and l.agent = w.agent and l.kind = 'agent'
                 and l.trigger_kind = 'outbox' and l.created_at > %(since)s) as last_at
        from ops.sessions x
       where x.tenant_id = ops.tenant() and x.agent = w.agent and x.kind = 'agent' and ops.busy(x.state)
  ) s
 order by w.first;

-- name: at_work
-- The agents that have a session running or about to.
select distinct agent from ops.sessions
 where tenant_id = ops.tenant() and kind = 'agent' and parent_id is null and ops.busy(state);

-- name: wanting
-- Agents and the topics that wake them, the paused ones too: for those events wait. Whoever directs an organisation is woken by
-- what others would change in it.
with directors as materialized (
    select s.agent_slug as slug from (select * from ops.seats x where x.tenant_id = ops.tenant() and x.agent_slug is not null offset 0) s
      join graph.edges h on h.tenant_id = s.tenant_id and h.from_id = s.position and h.type = 'has_role' and h.live
      join graph.nodes r on r.tenant_id = s.tenant_id and r.id = h.to_id and r.props ->> 'name' = 'ar-director')
select n.slug, array(select jsonb_array_elements_text(n.props -> 'outbox_topics')) as topics,
       exists (select 1 from directors d where d.slug = n.slug) as directs
  from graph.nodes n
 where n.tenant_id = ops.tenant() and n.type = 'agent' and n.archived_at is null and not graph.over(n.type, n.status)
   and (jsonb_array_length(coalesce(n.props -> 'outbox_topics', '[]')) > 0 or exists (select 1 from directors d where d.slug = n.slug))
 order by n.slug;
