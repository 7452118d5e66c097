-- name: grants
-- Grants in force that may fit an actor and a verb.
select n.id, n.slug, n.props from graph.nodes n
 where n.tenant_id = ops.tenant() and n.type = 'grant' and n.status = 'active' and n.archived_at is null
   and n.props ->> 'actor' = %(actor)s and n.props ->> 'verb' = any(%(verbs)s);

-- name: still_holds
-- Whether a principal still has a live credential with one of these scopes.
select exists (select 1 from ops.credentials c
                where c.tenant_id = ops.tenant() and c.principal_id = %(principal)s and c.revoked_at is null
                  and (c.expires_at is null or c.expires_at > %(now)s) and c.scopes && %(scopes)s) as holds;

-- name: made_under_key
-- The call that was made under an idempotency key.
select id, output from ops.agent_actions where tenant_id = ops.tenant() and idempotency_key = %(key)s and status = 'ok';

-- name: made_by_decision
-- What came of a call that the decision about it made itself.
select output -> 'result' as output from ops.agent_actions where tenant_id = ops.tenant() and id = %(action)s::uuid;

-- name: open_proposals
-- Proposals of a kind that wait for a decision.
select n.slug, n.props from graph.nodes n
 where n.tenant_id = ops.tenant() and n.type = 'proposal' and n.status = 'pending' and n.archived_at is null
   and n.props ->> 'kind' = %(kind)s;
