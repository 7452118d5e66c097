-- name: history
-- Every change point of an item that was known by then, newest first, with how long each was believed.
select v.seq, v.op, v.actor, v.reason, v.recorded_at, v.valid_from, v.touched, v.patch, v.action_id,
       (select l.recorded_at from graph.versions l
         where l.tenant_id = ops.tenant() and l.item_id = v.item_id and l.valid_from = v.valid_from and l.seq > v.seq
           and graph.known(l, %(known_at)s, %(upto)s, %(also)s)
         order by l.seq limit 1) as believed_until
  from graph.versions v
 where v.tenant_id = ops.tenant() and v.item_id = %(id)s and v.op <> 'carry'
   and graph.known(v, %(known_at)s, %(upto)s, %(also)s)
 order by v.valid_from desc, v.seq desc
 limit %(limit)s;

-- name: required_edges
-- Which of these required edges a node does have.
select type from graph.edges
 where tenant_id = ops.tenant() and from_id = %(id)s and live and slot and type = any(%(types)s);

-- name: began
-- The first moment an item is known to be true from.
select min(valid_from) as began from graph.versions where tenant_id = ops.tenant() and item_id = %(id)s;
