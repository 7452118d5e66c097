-- name: one_at_a_time
-- Whoever starts a sub-agent for this agent waits here, so that nobody counts while another is being added.
select pg_advisory_xact_lock(hashtextextended(ops.tenant() || 'subagents:' || %(agent)s, 0));

-- name: at_work
-- The sub-agents of an agent that are not over yet.
select s.name, s.agent, s.trigger ->> 'subagent' as subagent, s.trigger ->> 'project' as project
  from ops.sessions s
 where s.tenant_id = ops.tenant() and s.kind = 'worker' and ops.live(s.state)
   and s.trigger ? 'subagent'
   and (%(agent)s::text is null or s.agent = %(agent)s)
   and (%(project)s::text is null or s.trigger ->> 'project' = %(project)s)
 order by s.created_at;

-- name: running_as
-- What a worker's session was started as.
select s.agent, s.trigger ->> 'subagent' as subagent, s.trigger ->> 'project' as project,
       s.trigger ->> 'workspace' as workspace
  from ops.sessions s where s.tenant_id = ops.tenant() and s.id = %(session)s;

-- name: reviewed
-- Whether a review that this session asked for is done.
select exists (select 1 from ops.sessions r
                where r.tenant_id = ops.tenant() and r.parent_id = %(session)s and r.state = 'done'
                  and r.trigger ->> 'subagent' = 'code-reviewer') as done;
