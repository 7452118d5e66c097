-- name: hanging_on
-- What leads to an agent by these edges, with where it stands.
select n.id, n.type, n.slug, n.status, e.type as edge
  from graph.edges e join graph.nodes n on n.tenant_id = e.tenant_id and n.id = e.from_id
 where e.tenant_id = ops.tenant() and e.to_id = %(agent)s and e.type = any(%(edges)s) and e.live and n.archived_at is null
 order by n.id, e.type;

-- name: grants_of
-- Grants in force that an actor has.
select n.id from graph.nodes n
 where n.tenant_id = ops.tenant() and n.type = 'grant' and n.status = 'active' and n.archived_at is null
   and n.props ->> 'actor' = %(actor)s;
