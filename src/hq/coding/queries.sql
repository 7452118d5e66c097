-- name: add_steps
-- Write down what a coding program did, behind what there is.
insert into ops.code_steps (tenant_id, run_id, step, at, kind, tool, text)
select ops.tenant(), %(run)s, coalesce((select max(s.step) from ops.code_steps s
                                         where s.tenant_id = ops.tenant() and s.run_id = %(run)s), 0) + x.n,
       %(now)s, x.kind, x.tool, x.text
  from unnest(%(kinds)s::text[], %(tools)s::text[], %(texts)s::text[]) with ordinality as x (kind, tool, text, n)
returning step, kind, tool, text;

-- name: steps
-- What a coding program did, in order.
select step, at, kind, tool, text from ops.code_steps
 where tenant_id = ops.tenant() and run_id = %(run)s and step > %(after)s
 order by step limit %(limit)s;

-- name: past_runs
-- What each coding run that is done cost, newest first.
select n.slug as who, coalesce((n.props ->> 'cost')::numeric, 0) as cost_usd, 1::bigint as calls,
       case when n.props ->> 'cost' is null then 1 else 0 end::bigint as unpriced, coalesce((n.props ->> 'tokens_used')::bigint, 0) as tokens, 1 as days
  from graph.nodes n
 where n.tenant_id = ops.tenant() and n.type = 'code_run' and n.status = 'done' and n.archived_at is null
 order by n.created_at desc limit 50;
