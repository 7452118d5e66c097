-- name: settle_in
-- Work for this tenant until the transaction ends.
select set_config('hq.tenant', %(tenant)s, true);

-- name: name_session
-- Its name from now on, and what it may do.
select ops.name_session(%(id)s, %(name)s, %(scopes)s) as name;

-- name: run_of
-- The run that a session works on: the last that its thread took up since it rested, or the one for which it was spawned itself.
select coalesce((s.trigger ->> 'run')::bigint, t.run) as run
  from ops.sessions s
  left join lateral (
      select max(j.step) as step from ops.journal j
       where j.tenant_id = s.tenant_id and j.session_id = s.id and j.kind = 'wait' and j.payload ? 'rests') r on true
  left join lateral (
      select (each ->> 'id')::bigint as run
        from (select j.step, j.payload -> 'runs' as runs from ops.journal j
               where j.tenant_id = s.tenant_id and j.session_id = s.id and j.kind = 'wake' and j.step > coalesce(r.step, 0)
              union all
              select 0, s.trigger -> 'runs' where r.step is null) taken
       cross join lateral jsonb_array_elements(coalesce(taken.runs, '[]')) each
       where not each ? 'mention'
       order by taken.step desc limit 1) t on true
 where s.tenant_id = ops.tenant() and s.id = %(session)s;

-- name: workers
-- Workers, newest first: what the system knows of each.
select s.tenant_id, s.id, s.name, s.agent, s.state, s.trigger, s.closed_as, s.result, s.parent_id, s.taint, s.opened_seq, s.created_at,
       s.ended_at, o.created_at as started_at,
       (select n.slug from ops.waits w join graph.nodes n on n.tenant_id = w.tenant_id and w.thing = 'approval:' || n.id
         where w.tenant_id = s.tenant_id and w.session_id = s.id and s.state = 'waiting' limit 1) as approval
  from ops.sessions s
  left join ops.journal o on o.tenant_id = s.tenant_id and o.session_id = s.id and o.step = 1
 where s.tenant_id = ops.tenant() and s.kind = 'worker'
   and (%(ids)s::uuid[] is null or s.id = any(%(ids)s))
   and (%(sees)s::text[] is null or s.agent = any(%(sees)s))
   and (%(names)s::text[] is null or s.name = any(%(names)s))
   and (%(parent)s::uuid is null or s.parent_id = %(parent)s)
   and (%(states)s::text[] is null or s.state = any(%(states)s))
   and (%(timed_out)s::boolean is null or coalesce(s.result ? 'timed_out', false) = %(timed_out)s)
   and (%(before)s::uuid is null
        or (s.created_at, s.id) < (select b.created_at, b.id from ops.sessions b
                                    where b.tenant_id = ops.tenant() and b.id = %(before)s))
 order by s.created_at desc, s.id desc
 limit %(limit)s;

-- name: steps
-- The journal of a worker; of a call's outcome also the text in which it is kept and searched, and all that its tool gave back.
select j.step, j.kind, j.payload, j.created_at,
       case when kind = 'verb' then
           case when (payload ->> 'ok')::boolean then replace(jsonb_pretty(payload -> 'data'), '\n', e'\n')
                else 'error ' || (payload #>> '{error,code}') || ': ' || (payload #>> '{error,message}') end
       end as told,
       b.content as output
  from ops.journal j
  left join ops.artifacts a on a.tenant_id = j.tenant_id and j.kind = 'verb' and a.id::text = j.payload #>> '{data,artifact}'
  left join ops.blobs b on b.tenant_id = a.tenant_id and b.hash = a.hash
 where j.tenant_id = ops.tenant() and j.session_id = %(id)s
 order by j.step;

-- name: marks
-- Where what these workers saw came from.
select distinct mark
  from (select unnest(s.taint) as mark from ops.sessions s where s.tenant_id = ops.tenant() and s.id = any(%(ids)s)
        union all
        select jsonb_array_elements_text(j.payload -> 'taint')
          from ops.journal j
         where j.tenant_id = ops.tenant() and j.session_id = any(%(ids)s) and j.payload ? 'taint') marks;

-- name: grep
-- Lines of results and of what tools told, that match a pattern; newest worker first. `call` counts a worker's calls.
with texts as (
    select s.id, s.name, s.created_at, 0 as call, s.result ->> 'text' as told
      from ops.sessions s
     where s.tenant_id = ops.tenant() and s.kind = 'worker' and s.result ->> 'text' ~* %(pattern)s
       and (%(sees)s::text[] is null or s.agent = any(%(sees)s))
    union all
    select s.id, s.name, s.created_at, v.call, v.told
      from ops.sessions s
      cross join lateral (
          select row_number() over (order by j.step) as call,
                 case when (j.payload ->> 'ok')::boolean then replace(jsonb_pretty(j.payload -> 'data'), '\n', e'\n')
                      else 'error ' || (j.payload #>> '{error,code}') || ': ' || (j.payload #>> '{error,message}') end as told
            from ops.journal j
           where j.tenant_id = s.tenant_id and j.session_id = s.id and j.kind = 'verb') v
     where s.tenant_id = ops.tenant() and s.kind = 'worker' and s.created_at >= %(since)s and v.told ~* %(pattern)s
       and (%(sees)s::text[] is null or s.agent = any(%(sees)s))
)
select t.id, t.name, t.call, l.number, left(l.line, 300) as line
  from texts t
 cross join lateral regexp_split_to_table(t.told, e'\n') with ordinality l(line, number)
 where l.line ~* %(pattern)s
 order by t.created_at desc, t.id desc, t.call, l.number
 limit %(limit)s;

-- name: impatient
-- A pattern that takes longer than this is too much.
set local statement_timeout = '3s';

-- name: tenant_slug
-- The name of the company's directory.
select slug from ops.tenants where id = ops.tenant();
