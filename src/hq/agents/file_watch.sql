-- name: versions
-- Which version of its files the graph has of each agent.
select slug, props ->> 'version' as version from graph.nodes
 where tenant_id = ops.tenant() and type = 'agent' and archived_at is null;

-- name: company
-- The company, for one who was not told of it.
select id as tenant_id, slug, time_zone from ops.tenants where id = ops.tenant();
