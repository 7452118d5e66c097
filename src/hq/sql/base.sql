-- What `hq sql` reads. Row security shows a session the rows of its ticket's tenant (schema/0005_sql.sql); the views
-- give them names, and the moment that `--at` asks for. Without one the current rows are read, with one the past.

create schema if not exists hq;
revoke all on schema hq from public;
grant usage on schema hq to {reader};

do $$
declare
    v record;
begin
    for v in select format('%I.%I', schemaname, viewname) as name from pg_views where schemaname = 'hq' loop
        execute 'drop view if exists ' || v.name || ' cascade';
    end loop;
end $$;

-- The moment this query is about: now by the company's clock, or what `--at` said.
create or replace function hq.true_at() returns timestamptz
    language sql stable parallel safe
    return current_setting('hq.true_at')::timestamptz;

-- When that was believed; none where the query is about now.
create or replace function hq.known_at() returns timestamptz
    language sql stable parallel safe
    return nullif(current_setting('hq.known_at', true), '')::timestamptz;

create or replace function hq.known_upto() returns bigint
    language sql stable parallel safe
    return nullif(current_setting('hq.known_upto', true), '')::bigint;

create or replace function hq.known_also() returns bigint[]
    language sql stable parallel safe
    return coalesce(nullif(current_setting('hq.known_also', true), ''), '{}')::bigint[];

-- Whether a row that is only ever added was there then.
create or replace function hq.was_known(_at timestamptz, _seq bigint) returns boolean
    language sql stable parallel safe
    return hq.known_at() is null
        or (_at <= hq.known_at() and (hq.known_upto() is null or _seq <= hq.known_upto() or _seq = any (hq.known_also())));

-- Whether planned changes have come due that no call has let show in the current rows yet.
create or replace function hq.unsettled() returns boolean
    language sql stable
    set search_path = pg_catalog, pg_temp
begin atomic
    select exists (select 1 from graph.nodes where next_change_at <= hq.true_at())
        or exists (select 1 from graph.edges where next_change_at <= hq.true_at());
end;

create view hq.nodes with (security_invoker = true) as
    select n.id, n.type, n.slug, n.number, n.title, n.status, n.priority, n.occurred_at,
           case when n.redaction_policy = 'secret' then '{}' else n.props end as props, n.tags,
           n.archived_at is null and n.next_change_at is distinct from n.valid_from
               and (n.valid_to is null or n.valid_to > hq.true_at()) as live,
           n.producer_id, n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at,
           n.updated_at, n.archived_at, n.confidence, n.taint, n.seq as version, n.action_id
      from graph.nodes n
     where hq.known_at() is null
    union all
    select n.id, n.type, n.slug, n.number, n.title, n.status, n.priority, n.occurred_at,
           case when n.redaction_policy = 'secret' then '{}' else n.props end, n.tags,
           n.archived_at is null and n.next_change_at is distinct from n.valid_from
               and (n.valid_to is null or n.valid_to > hq.true_at()),
           n.producer_id, n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at,
           n.updated_at, n.archived_at, n.confidence, n.taint, n.seq, n.action_id
      from graph.nodes_at(hq.true_at(), hq.known_at(), hq.known_upto(), hq.known_also()) n
     where hq.known_at() is not null;

create view hq.links with (security_invoker = true) as
    select e.id, e.type, e.from_id, e.to_id, e.props, e.valid_from, e.valid_to, e.confidence, e.taint, e.created_at,
           e.updated_at, e.seq as version, e.action_id
      from graph.edges e
     where hq.known_at() is null and e.live and e.next_change_at is distinct from e.valid_from
       and (e.valid_to is null or e.valid_to > hq.true_at())
    union all
    select e.id, e.type, e.from_id, e.to_id, e.props, e.valid_from, e.valid_to, e.confidence, e.taint, e.created_at,
           e.updated_at, e.seq, e.action_id
      from graph.edges_at(hq.true_at(), hq.known_at(), hq.known_upto(), hq.known_also()) e
     where hq.known_at() is not null and e.live and e.next_change_at is distinct from e.valid_from
       and (e.valid_to is null or e.valid_to > hq.true_at());

create view hq.history with (security_invoker = true) as
    select v.item_id as node_id, v.seq as version, v.op, v.actor, v.reason, v.recorded_at, v.valid_from as true_from,
           v.touched, case when v.doc ->> 'redaction_policy' = 'secret' then '{}' else v.patch end as said, v.action_id
      from graph.versions v
     where v.kind = 'node' and v.op <> 'carry' and hq.was_known(v.recorded_at, v.seq);

create view hq.actions with (security_invoker = true) as
    select a.id, a.seq as sequence, a.actor, a.action_type as verb, a.kind, a.status, a.error_code, a.gate, a.decision,
           a.reason, a.target_kind, a.target_id, a.input, a.output, a.model, a.cost_usd, a.duration_ms, a.session_id,
           a.task_id, a.trace_id, a.parent_id, a.undoes, a.taint, a.created_at
      from ops.agent_actions a
     where hq.was_known(a.created_at, a.seq);

create view hq.events with (security_invoker = true) as
    select o.seq as sequence, o.ordinal, o.topic, o.payload, o.action_id, o.created_at
      from ops.outbox o
     where hq.was_known(o.created_at, o.seq);
