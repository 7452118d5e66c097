-- name: keep
-- What a program asks.
insert into ops.completions (tenant_id, session_id, request, created_at)
values (ops.tenant(), %(id)s, %(request)s, %(now)s);

-- name: request
-- What a program asked; of a branch, what was asked of the session that it branched from.
with recursive line as (
    select s.id, s.forked_from, 0 as depth from ops.sessions s where s.tenant_id = ops.tenant() and s.id = %(id)s
    union all
    select s.id, s.forked_from, l.depth + 1 from line l
      join ops.sessions s on s.tenant_id = ops.tenant() and s.id = l.forked_from
)
select c.request from line l join ops.completions c on c.tenant_id = ops.tenant() and c.session_id = l.id
 order by l.depth limit 1;

-- name: known
-- Which of these are completions.
select session_id as id from ops.completions where tenant_id = ops.tenant() and session_id = any(%(ids)s);

-- name: remembered
-- Which of these a program may still name.
select session_id as id from ops.completions where tenant_id = ops.tenant() and session_id = any(%(ids)s) and forgotten_at is null;

-- name: forget
-- No program gets it again.
update ops.completions set forgotten_at = %(now)s where tenant_id = ops.tenant() and session_id = %(id)s;

-- name: answered_by
-- Which completion answers what was asked in this one: itself, or the last that was begun in its place. Who looks holds it, so that only
-- one is begun.
select coalesce(answered_by, session_id) as id from ops.completions
 where tenant_id = ops.tenant() and session_id = %(id)s for update;

-- name: answer_by
-- Another completion answers in this one's place.
update ops.completions set answered_by = %(by)s where tenant_id = ops.tenant() and session_id = %(id)s;

-- name: completion
-- A completion as it is: what was asked, how its session is, and what that is saying just now.
select s.id, s.agent, s.state, s.closed_as, s.exit_code, s.created_at, s.ended_at, s.trigger ->> 'client' as client,
       s.trigger ->> 'text' as said, c.request -> 'format' as format, d.body as draft, d.step as draft_step
  from ops.completions c
  join ops.sessions s on s.tenant_id = c.tenant_id and s.id = c.session_id
  left join lateral (select max(x.step) as last from ops.journal x
                      where x.tenant_id = s.tenant_id and x.session_id = s.id) l on true
  left join ops.drafts d on d.tenant_id = s.tenant_id and d.session_id = s.id and s.state = 'running'
                        and d.step = coalesce(l.last, 0) + 1
 where c.tenant_id = ops.tenant() and c.session_id = %(id)s;

-- name: told_steps
-- What was said in a completion, what of it could not be used, where it lay down and why it was given up.
select step, kind, payload from ops.journal
 where tenant_id = ops.tenant() and session_id = %(id)s
   and (kind in ('mind', 'wait', 'verb') or kind = 'note' and payload ?| array['given_up', 'nudge'])
 order by step;

-- name: cost
-- What a completion cost, and how much of what went in came from a provider's cache. No cost where a call has no price.
select coalesce(sum(tokens_cached), 0)::bigint as cached, case when bool_and(priced) then coalesce(sum(cost_usd), 0) end as cost
  from ops.llm_call_log where tenant_id = ops.tenant() and session_id = %(id)s;

-- name: completions
-- The newest completions.
select s.id, s.agent, s.state, s.closed_as, s.created_at, s.trigger ->> 'client' as client, s.trigger ->> 'text' as said
  from ops.completions c
  join ops.sessions s on s.tenant_id = c.tenant_id and s.id = c.session_id
 where c.tenant_id = ops.tenant() and (%(sees)s::text[] is null or s.agent = any(%(sees)s))
   and (%(before)s::uuid is null
        or (c.created_at, c.session_id) < (select b.created_at, b.session_id from ops.completions b
                                            where b.tenant_id = ops.tenant() and b.session_id = %(before)s))
 order by c.created_at desc, c.session_id desc
 limit %(limit)s;

-- name: settled
-- How far the events are settled.
select chained as line from ops.announcer;
