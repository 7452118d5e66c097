-- Many messages in two companies, as their calls would have left them: five to a call, twenty to a conversation.

-- name: lay_out
create temporary table said (nr integer primary key, body text not null);

-- name: write_actions
insert into ops.agent_actions (tenant_id, seq, id, actor, principal_id, trace_id, action_type, kind, input_hash,
                               output_hash, status, duration_ms, created_at)
select case when k %% %(every)s = 0 then %(small)s else %(large)s end, %(first)s + k, gen_random_uuid(), %(actor)s,
       gen_random_uuid(), gen_random_uuid(), 'interaction.log', 'write', '', '', 'ok', 1,
       %(start)s + k * 5 * interval '1 second'
  from generate_series(0, (select max(nr) from said) / 5) k;

-- name: write_versions
insert into graph.versions (tenant_id, item_id, valid_from, seq, kind, recorded_at, op, actor, action_id, touched, patch,
                            doc)
select case when nr / 5 %% %(every)s = 0 then %(small)s else %(large)s end,
       ('00000000-0000-7000-8000-' || lpad(to_hex(nr), 12, '0'))::uuid, m.moment, %(first)s + nr / 5, 'node', m.moment,
       'insert', %(actor)s, '00000000-0000-7000-8000-000000000000', '{}', m.doc, m.doc
  from said
 cross join lateral (
       select %(start)s + nr * interval '1 second' as moment,
              jsonb_build_object(
                  'title', 'interaction', 'status', 'unprocessed', 'tags', '[]'::jsonb, 'taint', '[]'::jsonb,
                  'redaction_policy', 'personal', 'occurred_at', %(start)s + nr * interval '1 second',
                  'props', jsonb_build_object('channel', 'chat', 'direction', 'internal', 'status', 'unprocessed',
                                              'body', body, 'thread_id', 'thread ' || nr / 20)) as doc) m;

-- name: show_nodes
insert into graph.nodes (tenant_id, id, type, slug, title, status, occurred_at, props, producer_id, valid_from,
                         created_at, updated_at, made_seq, seq, action_id)
select v.tenant_id, v.item_id, 'interaction', 'message-' || v.item_id, 'interaction', 'unprocessed', v.valid_from,
       v.doc -> 'props', case when v.tenant_id = %(small)s then %(small_producer)s else %(producer)s end, v.valid_from,
       v.valid_from, v.valid_from, v.seq, v.seq, v.action_id
  from graph.versions v where v.action_id = '00000000-0000-7000-8000-000000000000';

-- name: settle
select setval('ops.seq', %(first)s + (select max(nr) from said) / 5 + 1);

-- name: chain
-- The announcer need not link what no call made.
update ops.announcer set chained = %(first)s + (select max(nr) from said) / 5, watermark = greatest(watermark, %(first)s + (select max(nr) from said) / 5);
