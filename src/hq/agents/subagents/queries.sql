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
-- Whether what a merge would take over, exactly that and every line of it, was shown to a code-reviewer whom this session asked and
-- who is done. The tree stays locked until the merge, so that nobody saves something else in between.
select t.saved is not null
   and exists (select 1 from ops.sessions r
                 join ops.journal j on j.tenant_id = r.tenant_id and j.session_id = r.id and j.kind = 'verb'
                where r.tenant_id = ops.tenant() and r.parent_id = %(session)s and r.state = 'done'
                  and r.trigger ->> 'subagent' = 'code-reviewer'
                  and j.payload ->> 'verb' = 'workspace.diff' and (j.payload ->> 'ok')::boolean
                  and j.payload #>> '{data,before}' = t.base and j.payload #>> '{data,after}' = t.saved
                  and (j.payload #>> '{data,more}')::integer = 0
                  and not jsonb_path_exists(j.payload, '$.data.items[*] ? (!exists(@.patch))')) as seen
  from ops.workspace_trees t
 where t.tenant_id = ops.tenant() and t.workspace_id = %(workspace)s and t.session = %(tree)s
   for update of t;

-- name: held_before
-- Whether a workspace ever held this: then going there is going back.
select exists (select 1 from graph.versions v
                where v.tenant_id = ops.tenant() and v.item_id = %(workspace)s
                  and coalesce(v.doc -> 'props' ->> 'snapshot', %(empty)s) = %(snapshot)s) as held;
