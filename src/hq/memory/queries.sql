-- name: held_since
-- The first of the unbroken run of change points, up to then and known by then, at which a fact had this value.
with points as (
    select distinct on (v.valid_from) v.valid_from, v.doc -> 'props' ->> 'value' as value
      from graph.versions v
     where v.tenant_id = ops.tenant() and v.item_id = %(id)s and v.valid_from <= %(true_at)s
       and graph.known(v, %(known_at)s, %(upto)s, %(also)s)
     order by v.valid_from, v.seq desc
)
select min(valid_from) as since from points
 where valid_from > coalesce((select max(valid_from) from points where value is distinct from %(value)s), '-infinity');
