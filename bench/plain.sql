-- The graph's tables without the graph: same columns, a key and the indexes that reading needs, nothing behind them.

-- name: create
-- Plain copies of the tables, for the product's role.
create schema plain;
create table plain.nodes (like graph.nodes including defaults, primary key (tenant_id, id), unique (tenant_id, slug));
create index on plain.nodes (tenant_id, type, created_at desc, id desc);
create table plain.edges (like graph.edges including defaults, primary key (tenant_id, id));
create index on plain.edges (tenant_id, from_id);
create table plain.versions (like graph.versions including defaults, primary key (tenant_id, item_id, valid_from, seq));
create table plain.agent_actions (like ops.agent_actions including defaults, primary key (tenant_id, id));
create table plain.outbox (like ops.outbox including defaults, primary key (tenant_id, action_id, ordinal));
do $$
declare
    c record;
begin
    -- What a plain program would not fill in need not be there, whatever columns the graph has.
    for c in select a.attrelid::regclass as t, a.attname from pg_attribute a
              where a.attrelid in (select oid from pg_class where relnamespace = 'plain'::regnamespace and relkind = 'r')
                and a.attnum > 0 and a.attnotnull
                and not exists (select 1 from pg_index i where i.indrelid = a.attrelid and i.indisprimary
                                                           and a.attnum = any (i.indkey::smallint[])) loop
        execute format('alter table %s alter column %I drop not null', c.t, c.attname);
    end loop;
end $$;
grant usage on schema plain to public;
grant select, insert, update on all tables in schema plain to public;

-- name: copy
-- What is in the graph, in the copies too.
insert into plain.nodes select * from graph.nodes;
insert into plain.edges select * from graph.edges;

-- name: node
insert into plain.nodes (tenant_id, id, type, slug, title, status, priority, occurred_at, props, tags, producer_id,
                         valid_from, created_at, updated_at, redaction_policy, taint, seq, action_id)
values (%(tenant)s, %(id)s, %(type)s, %(slug)s, %(title)s, %(status)s, %(priority)s, null, %(props)s, '{}',
        %(producer)s, %(now)s, %(now)s, %(now)s, 'none', '{}', %(seq)s, %(action)s);

-- name: change
update plain.nodes
   set title = %(title)s, status = %(status)s, priority = %(priority)s, props = %(props)s, valid_from = %(now)s,
       updated_at = %(now)s, seq = %(seq)s, action_id = %(action)s
 where tenant_id = %(tenant)s and id = %(id)s;

-- name: edge
insert into plain.edges (tenant_id, id, type, from_id, to_id, slot, live, props, valid_from, producer_id, taint,
                         created_at, updated_at, seq, action_id)
values (%(tenant)s, %(edge)s, %(edge_type)s, %(id)s, %(producer)s, true, true, '{}', %(now)s, %(producer)s, '{}',
        %(now)s, %(now)s, %(seq)s, %(action)s);

-- name: version
insert into plain.versions (tenant_id, item_id, valid_from, seq, kind, recorded_at, planned, op, actor, action_id,
                            touched, patch, doc)
values (%(tenant)s, %(item)s, %(now)s, %(seq)s, 'node', %(now)s, false, 'insert', %(actor)s, %(action)s, '{}',
        %(props)s, %(props)s);

-- name: action
insert into plain.agent_actions (tenant_id, seq, id, actor, principal_id, trace_id, action_type, kind, target_kind,
                                 target_id, input, input_hash, output, output_hash, status, gate, decision,
                                 duration_ms, args_hash, taint, created_at)
values (%(tenant)s, %(seq)s, %(action)s, %(actor)s, %(producer)s, %(action)s, %(type)s, 'write', %(type)s, %(id)s,
        %(props)s, %(hash)s, %(props)s, %(hash)s, 'ok', 'internal', 'do', 1, %(hash)s, '{}', %(now)s);

-- name: outbox
insert into plain.outbox (tenant_id, seq, ordinal, topic, action_id, payload, created_at)
values (%(tenant)s, %(seq)s, 1, %(type)s, %(action)s, %(props)s, %(now)s);

-- name: list
select id, type, slug, number, title, status, priority, occurred_at, archived_at, props, tags, producer_id, owner_id,
       external_source, external_id, valid_from, valid_to, created_at, updated_at, redaction_policy, confidence, taint,
       seq, action_id
  from plain.nodes
 where tenant_id = %(tenant)s and type = 'task' and archived_at is null
 order by created_at desc, id desc limit 51;

-- name: show
select id, type, slug, number, title, status, priority, occurred_at, archived_at, props, tags, producer_id, owner_id,
       external_source, external_id, valid_from, valid_to, created_at, updated_at, redaction_policy, confidence, taint,
       seq, action_id
  from plain.nodes
 where tenant_id = %(tenant)s and slug = %(slug)s;

-- name: links
select e.id, e.type, e.to_id, e.props, e.valid_from, e.valid_to, e.confidence, n.slug, n.type, n.title
  from plain.edges e
  join plain.nodes n on n.tenant_id = e.tenant_id and n.id = e.to_id
 where e.tenant_id = %(tenant)s and e.from_id = %(id)s;
