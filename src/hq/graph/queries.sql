-- name: history
-- Every change point of an item with the period in which it was believed, oldest belief first.
select v.seq, v.op, v.actor, v.reason, v.recorded_at, v.valid_from, v.touched, v.patch, v.action_id,
       lead(v.recorded_at) over (partition by v.valid_from order by v.seq) as believed_until
  from graph.versions v
 where v.tenant_id = ops.tenant() and v.item_id = %(id)s and v.op <> 'carry'
   and graph.known(v, %(known_at)s, %(upto)s, %(also)s)
 order by v.seq desc, v.valid_from
 limit %(limit)s;

-- name: required_edges
-- Which of these required edges a node does have.
select type from graph.edges
 where tenant_id = ops.tenant() and from_id = %(id)s and live and slot and type = any(%(types)s);
