-- A company that remembers much and has talked long, as its calls would have left it.

-- name: lay_out
create temporary table said (nr integer primary key, body text not null);

-- name: write_actions
insert into ops.agent_actions (tenant_id, seq, id, actor, principal_id, trace_id, action_type, kind, input_hash,
                               output_hash, status, duration_ms, created_at)
select %(tenant)s, %(first)s + k, gen_random_uuid(), %(actor)s, gen_random_uuid(), gen_random_uuid(), 'memory.add', 'write',
       '', '', 'ok', 1, %(start)s + k * interval '1 second'
  from generate_series(0, (select max(nr) from said) / 50) k;

-- name: write_versions
insert into graph.versions (tenant_id, item_id, valid_from, seq, kind, recorded_at, op, actor, action_id, touched, patch,
                            doc)
select %(tenant)s, gen_random_uuid(), m.moment, %(first)s + nr / 50, 'node', m.moment, 'insert', %(actor)s, %(mark)s, '{}',
       m.doc, m.doc
  from said
 cross join lateral (
       select %(start)s + nr * interval '1 millisecond' as moment,
              jsonb_build_object(
                  'title', body, 'status', 'active', 'tags', '[]'::jsonb, 'taint', '[]'::jsonb,
                  'props', jsonb_build_object('category', 'fact', 'content', body, 'source', 'founder', 'status', 'active')) as doc) m;

-- name: show_nodes
insert into graph.nodes (tenant_id, id, type, slug, title, status, props, producer_id, valid_from, created_at, updated_at,
                         made_seq, seq, action_id)
select v.tenant_id, v.item_id, 'org_memory', 'memory-' || v.item_id, v.doc ->> 'title', 'active', v.doc -> 'props',
       %(producer)s, v.valid_from, v.valid_from, v.valid_from, v.seq, v.seq, v.action_id
  from graph.versions v where v.action_id = %(mark)s;

-- name: settle
select setval('ops.seq', %(first)s + (select max(nr) from said) / 50 + 1);

-- name: chain
-- The announcer need not link what no call made.
update ops.announcer set chained = x.upto, watermark = greatest(watermark, x.upto)
  from (select %(first)s + max(nr) / 50 as upto from said) x;

-- name: begin_talk
insert into ops.sessions (tenant_id, id, kind, agent, principal_id, task_id, trigger_kind, trigger, state, name, created_at,
                          updated_at)
select %(tenant)s, gen_random_uuid(), 'thread', 'chief', p.id, gen_random_uuid(), 'dm', '{"text": "Hello"}', 'waiting', %(name)s,
       %(start)s, %(start)s
  from ops.principals p where p.tenant_id = %(tenant)s and p.actor = %(actor)s;

-- name: first_words
insert into ops.journal (tenant_id, session_id, step, kind, payload, holder, created_at)
select s.tenant_id, s.id, x.step, x.kind, x.payload::jsonb, 'bench', %(start)s
  from ops.sessions s,
       (values (1, 'open', '{}'),
               (2, 'mind', '{"response": {"kind": "response", "parts": [{"part_kind": "text", "content": "Hello."}]}}'),
               (3, 'wait', '{"rests": true, "answers": []}'),
               (4, 'wake', '{"prompt": "How is it going, and what comes next this week?"}'),
               (5, 'mind', '{"response": {"kind": "response", "parts": [{"part_kind": "text", "content": "All is well; the launch comes next."}]}}'),
               (6, 'wait', '{"rests": true, "answers": []}')) x(step, kind, payload)
 where s.tenant_id = %(tenant)s and s.name = %(name)s;

-- name: plain_table
create table plain_memories as select nr, body, to_tsvector('english', body) as words from said;

-- name: plain_index
create index on plain_memories using gin (words);

-- name: plain_search
select nr, body from plain_memories where words @@ to_tsquery('english', %(words)s)
 order by ts_rank(words, to_tsquery('english', %(words)s)) desc limit 20;

-- name: plain_talk
select step, kind, payload from ops.journal where tenant_id = %(tenant)s and session_id = %(session)s
   and step >= (select max(step) - %(window)s from ops.journal where tenant_id = %(tenant)s and session_id = %(session)s)
 order by step;
