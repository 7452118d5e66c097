-- name: plan_once
-- What follows in this transaction is planned once for all sessions: planning it took longer than doing it.
set local plan_cache_mode = force_generic_plan;

-- name: session_before
-- The last session of an agent that is over; where there is none, one that is under way beside this one.
(select id, closed_as, ended_at, true as over from ops.sessions
  where tenant_id = ops.tenant() and agent = %(agent)s and kind in ('agent', 'thread') and state in ('done', 'failed', 'stopped')
    and id <> %(except)s
  order by created_at desc, id desc limit 1)
union all
(select id, closed_as, ended_at, false from ops.sessions
  where tenant_id = ops.tenant() and agent = %(agent)s and kind in ('agent', 'thread') and ops.live(state)
    and id <> %(except)s
  order by created_at desc, id desc limit 1)
 order by over desc limit 1;

-- name: said_before
-- What was said in a conversation before its present session began, newest first; what was summed up, as its summary.
select t.id, j.step, j.created_at, t.agent,
       case when j.kind in ('open', 'wake') then 'them' when j.kind = 'mind' then 'you' else 'summary' end as who,
       case j.kind when 'open' then jsonb_build_array(t.trigger -> 'from') when 'wake' then j.payload -> 'from' end as senders,
       case j.kind when 'open' then t.trigger ->> 'text' when 'wake' then j.payload ->> 'prompt'
                   when 'note' then j.payload ->> 'summary'
                   else (select regexp_replace(string_agg(p ->> 'content', e'\n'), '<(task-complete|escalate)[^>]*>', '', 'gi')
                           from jsonb_array_elements(j.payload -> 'response' -> 'parts') p
                          where p ->> 'part_kind' = 'text') end as text
  from ops.sessions now_
  join ops.sessions t on t.tenant_id = now_.tenant_id and t.kind = 'thread' and t.name = now_.name and t.id < now_.id
  join ops.journal j on j.tenant_id = t.tenant_id and j.session_id = t.id
 where now_.tenant_id = ops.tenant() and now_.id = %(id)s and now_.kind = 'thread'
   and (j.kind in ('open', 'wake', 'mind') or j.kind = 'note' and j.payload ? 'summary')
 order by t.id desc, j.step desc
 limit %(limit)s;
