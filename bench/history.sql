-- A long history, made at once. One change point a second; every tenth is of the hot task, the others are spread over
-- tasks that begin one after another for as long as the history lasts.

-- name: write_versions
insert into graph.versions (tenant_id, item_id, valid_from, seq, kind, recorded_at, op, actor, action_id, touched, patch,
                            doc)
select %(tenant)s, ('00000000-0000-7000-8000-' || lpad(to_hex(w.task), 12, '0'))::uuid, w.moment, %(first)s + k, 'node',
       w.moment, case when w.begins then 'insert' else 'update' end, %(actor)s, '00000000-0000-7000-8000-000000000000',
       '{status,props.status}',
       case when w.begins then w.doc
            else jsonb_build_object('status', w.status, 'props', jsonb_build_object('status', w.status)) end, w.doc
  from generate_series(0, %(rows)s - 1) k
 cross join lateral (select k %% 10 = 0 as hot, k - k / 10 - 1 as turn) t
 cross join lateral (
       select case when t.hot then 0
                   when t.turn %% %(each)s = 0 then 1 + t.turn / %(each)s
                   else 1 + floor((hashint4(t.turn)::bigint & 2147483647) / 2147483648.0 * (t.turn / %(each)s + 1))::integer
              end as task,
              case when t.hot then k = 0 else t.turn %% %(each)s = 0 end as begins,
              %(start)s + k * interval '1 second' as moment,
              (array['todo', 'in_progress', 'blocked'])[1 + k %% 3] as status) s
 cross join lateral (
       select s.*, jsonb_build_object(
                  'title', 'Task ' || s.task, 'status', s.status, 'priority', 'next', 'tags', '[]'::jsonb,
                  'taint', '[]'::jsonb, 'redaction_policy', 'none',
                  'props', jsonb_build_object(
                      'title', 'Task ' || s.task, 'status', s.status, 'priority', 'next', 'estimate_minutes', 30,
                      'description', 'What the driver of this task needs to know, in a sentence or two of usual length.'
                  )) as doc) w;

-- name: show_nodes
-- The current row of each task, as its last change point has it.
insert into graph.nodes (tenant_id, id, type, slug, title, status, priority, props, producer_id, valid_from,
                         created_at, updated_at, made_seq, seq, action_id)
select v.tenant_id, v.item_id, 'task', 'task-' || v.item_id, v.doc ->> 'title', v.doc ->> 'status', v.doc ->> 'priority',
       v.doc -> 'props', %(producer)s, v.valid_from, f.valid_from, v.recorded_at, f.seq,
       v.seq, v.action_id
  from (select distinct on (item_id) * from graph.versions
         where tenant_id = %(tenant)s and action_id = '00000000-0000-7000-8000-000000000000'
         order by item_id, valid_from desc) v
  join graph.versions f on f.tenant_id = v.tenant_id and f.item_id = v.item_id and f.op = 'insert';

-- name: settle
select setval('ops.seq', %(first)s + %(rows)s);

-- name: half_way
-- The moment and the number in the middle, and a task that began at a quarter.
select v.recorded_at, v.seq,
       (select n.id from graph.nodes n
         where n.tenant_id = %(tenant)s and n.type = 'task' and n.created_at < v.recorded_at - %(rows)s / 4 * interval '1 second'
         order by n.created_at desc limit 1)
  from graph.versions v
 where v.tenant_id = %(tenant)s and v.seq = %(first)s + %(rows)s / 2;

-- name: open
-- A transaction of this tenant, for one write.
begin;
select set_config('hq.tenant', %(tenant)s, true), set_config('hq.actor', %(actor)s, true),
       set_config('hq.reason', '', true), set_config('hq.action', %(action)s, true),
       set_config('hq.seq', ops.draw()::text, true), set_config('hq.now', %(now)s, true);

-- name: scans
-- How often the whole history was read from end to end.
select seq_scan from pg_stat_user_tables where schemaname = 'graph' and relname = 'versions';
