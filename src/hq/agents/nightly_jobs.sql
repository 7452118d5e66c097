-- name: running_agents
-- Agents with a session that runs.
select distinct agent from ops.sessions where tenant_id = ops.tenant() and kind = 'agent' and state = 'running' order by agent;

-- name: agents
-- The agents that work here.
select slug from graph.nodes
 where tenant_id = ops.tenant() and type = 'agent' and archived_at is null and not graph.over(type, status) order by slug;
