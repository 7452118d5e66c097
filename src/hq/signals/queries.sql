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
                      cross join lateral (select l.status, l.created_at, l.seq from ops.agent_actions l
                                           where l.tenant_id = ops.tenant() and l.actor = q.actor
                                             and l.kind <> 'read' -- asking is no sign of life
                                             and l.created_at <= %(known_at)s
                                             and (%(upto)s::bigint is null or l.seq <= %(upto)s
                                                  or l.seq = any(%(also)s::bigint[]))
                                           order by l.seq desc limit 5000) x
                      where q.tenant_id = ops.tenant() and q.producer_id = p.id
                        and x.created_at between %(since)s and %(until)s
                    ) a on true;
