-- name: producer_health
-- For each of these producers: when it was last heard from by then, how much came in, and how often its calls failed.
select p.id, w.nodes, w.last_node, a.calls, a.failed, a.last_call
  from unnest(%(ids)s::uuid[]) p(id)
  left join lateral (select count(*) as nodes, max(n.created_at) as last_node from graph.nodes n
                      where n.tenant_id = ops.tenant() and n.producer_id = p.id
                        and n.created_at between %(since)s and %(until)s and n.created_at <= %(known_at)s
                        and (%(upto)s::bigint is null or n.made_seq <= %(upto)s or n.made_seq = any(%(also)s::bigint[]))
                    ) w on true
  left join lateral (select count(*) as calls, count(*) filter (where x.status in ('failed', 'refused')) as failed,
                            max(x.created_at) as last_call
                       from ops.principals q
                       join ops.agent_actions x on x.tenant_id = ops.tenant() and x.actor = q.actor
                      where q.tenant_id = ops.tenant() and q.producer_id = p.id
                        and x.action_type <> 'producer.health' -- asking is no sign of life, and must not change the answer
                        and x.created_at between %(since)s and %(until)s and x.created_at <= %(known_at)s
                        and (%(upto)s::bigint is null or x.seq <= %(upto)s or x.seq = any(%(also)s::bigint[]))
                    ) a on true;
