-- name: settle_in
-- Work for this tenant until the transaction ends.
select set_config('hq.tenant', %(tenant)s, true);

-- name: name_session
-- Its name from now on, and what it may do.
select ops.name_session(%(id)s, %(name)s, %(scopes)s) as name;

-- name: workers
-- Workers, newest first: what the system knows of each.
select s.id, s.name, s.agent, s.state, s.trigger, s.closed_as, s.result, s.parent_id, s.taint, s.opened_seq, s.created_at,
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
-- The journal of a worker; of a call's outcome also the text in which it is kept and searched.
select step, kind, payload, created_at,
       case when kind = 'verb' then
           case when (payload ->> 'ok')::boolean then replace(jsonb_pretty(payload -> 'data'), '\n', e'\n')
                else 'error ' || (payload #>> '{error,code}') || ': ' || (payload #>> '{error,message}') end
       end as told
  from ops.journal
 where tenant_id = ops.tenant() and session_id = %(id)s
 order by step;

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
