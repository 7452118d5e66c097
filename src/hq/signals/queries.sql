-- name: producer_health
-- For each producer: when it was last heard from, how much came in, and how often its latest calls failed.
select p.slug, p.title, p.props ->> 'kind' as kind, p.status, (p.props ->> 'expected_every_minutes')::int as expected,
       w.nodes, w.last_node, a.calls, a.failed, a.last_call
  from graph.nodes p
  left join lateral (select count(*) as nodes, max(n.created_at) as last_node from graph.nodes n
                      where n.tenant_id = ops.tenant() and n.producer_id = p.id and n.created_at >= %(since)s) w on true
  left join lateral (select count(*) as calls, count(*) filter (where x.status in ('failed', 'refused')) as failed,
                            max(x.created_at) as last_call
                       from ops.principals q
                      cross join lateral (select l.status, l.created_at from ops.agent_actions l
                                           where l.tenant_id = ops.tenant() and l.actor = q.actor
                                           order by l.seq desc limit 5000) x
                      where q.tenant_id = ops.tenant() and q.producer_id = p.id and x.created_at >= %(since)s) a on true
 where p.tenant_id = ops.tenant() and p.type = 'producer' and p.archived_at is null
   and (%(ref)s::uuid is null or p.id = %(ref)s)
 order by p.slug
 limit 500;
