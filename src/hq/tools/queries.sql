-- name: open_proposals
-- Proposals of a kind that wait for a decision.
select n.slug, n.props from graph.nodes n
 where n.tenant_id = ops.tenant() and n.type = 'proposal' and ops.ask_waits(n.type, n.status) and n.archived_at is null
   and n.props ->> 'kind' = %(kind)s;
