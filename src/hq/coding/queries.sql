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
