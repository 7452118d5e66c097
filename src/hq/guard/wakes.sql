-- name: woken_by
-- How often one principal woke an agent since then.
select count(*) as many from ops.sessions
 where tenant_id = ops.tenant() and agent = %(agent)s and created_at > %(since)s and trigger ->> 'from' = %(actor)s;

-- name: back_and_forth
-- How many messages two agents sent each other since either of them last changed anything else.
select count(*) as many from ops.sessions s
 where s.tenant_id = ops.tenant() and s.agent in (%(a)s, %(b)s) and s.trigger_kind = 'dm'
   and s.trigger ->> 'from' in ('agent:' || %(a)s, 'agent:' || %(b)s)
   and s.created_at > greatest(%(since)s, (
       select max(x.at) from unnest(array['agent:' || %(a)s, 'agent:' || %(b)s]) who(actor)
         cross join lateral (
             select l.created_at as at from ops.agent_actions l
              where l.tenant_id = ops.tenant() and l.actor = who.actor and l.kind in ('write', 'effect')
                and l.status = 'ok' and l.action_type <> all(%(talk)s)
              order by l.seq desc limit 1) x));
