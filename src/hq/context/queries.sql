-- name: plan_once
-- What follows in this transaction is planned once for all sessions: planning it took longer than doing it.
set local plan_cache_mode = force_generic_plan;

-- name: before
-- What there was of an agent before a session: the last one that is over, where there is none, one that is under way beside this one;
-- and which of these links lead to it, so that only what there is is looked for.
select d.closed_as, coalesce(d.over, l.over) as over,
       array(select w.type from unnest(%(links)s::text[]) w(type)
              where exists (select 1 from graph.edges e
                             where e.tenant_id = ops.tenant() and e.to_id = %(id)s and e.type = w.type and e.live)) as links
  from (select) one
  left join lateral (
      select s.closed_as, true as over from ops.sessions s
       where s.tenant_id = ops.tenant() and s.agent = %(agent)s and s.kind in ('agent', 'thread')
         and not ops.live(s.state) and s.id <> %(except)s
       order by s.created_at desc, s.id desc limit 1) d on true
  left join lateral (
      select false as over from ops.sessions s
       where d.over is null and s.tenant_id = ops.tenant() and s.agent = %(agent)s and s.kind in ('agent', 'thread')
         and ops.live(s.state) and s.id <> %(except)s
       limit 1) l on true;

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
