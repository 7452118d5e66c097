-- name: versions
-- Which version of its files the graph has of each agent; of one that was loaded before actions were kept, none.
select slug, case when props ? 'tool_actions' then props ->> 'version' end as version from graph.nodes
 where tenant_id = ops.tenant() and type = 'agent' and archived_at is null;

-- name: company
-- The company, for one who was not told of it.
select id as tenant_id, slug, time_zone from ops.tenants where id = ops.tenant();
