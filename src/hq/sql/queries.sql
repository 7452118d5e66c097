-- name: admit
-- What a session of the reader's role needs to see what this call sees, and no more.
select pg_export_snapshot() as snapshot, ops.reader_ticket(%(backend)s, %(seconds)s) as ticket;

-- name: settle_in
-- Whose rows, for how long, when now is; and names without a schema are those of the views.
select set_config('hq.ticket', $1, true), set_config('statement_timeout', $2, true), set_config('hq.true_at', $3, true),
       set_config('search_path', 'hq', true), set_config('TimeZone', 'UTC', true), set_config('lock_timeout', '1s', true),
       set_config('max_parallel_workers_per_gather', '0', true);

-- name: look_back
-- Every view shows this moment.
select set_config('hq.true_at', $1, true), set_config('hq.known_at', $2, true), set_config('hq.known_upto', $3, true),
       set_config('hq.known_also', $4, true);

-- name: marks
-- The marks of outside content anywhere in the company: a query may have read any of it.
select distinct mark from graph.nodes n, unnest(n.taint) mark where n.tenant_id = ops.tenant() and n.taint <> '{}';

-- name: views
-- Every view and its columns.
select c.relname as view, a.attname as column, format_type(a.atttypid, a.atttypmod) as type
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
 where c.relnamespace = 'hq'::regnamespace and c.relkind = 'v'
 order by c.relname, a.attnum;
