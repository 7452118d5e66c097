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

-- name: asked
-- The approval that waits for somebody to decide an operation of a run.
select a.id from graph.nodes a
 where a.tenant_id = ops.tenant() and a.type = 'approval' and ops.ask_waits(a.type, a.status) and a.archived_at is null
   and a.props ->> 'verb' = 'code.allow' and a.props -> 'arguments' ->> 'ref' = %(run)s
   and a.props -> 'arguments' ->> 'operation' = %(operation)s;
