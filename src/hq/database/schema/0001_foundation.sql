-- The foundation: tenants and principals, the graph with its history, the ledger, the outbox.
-- Run by the owner of the schemas. {app} is the role the product connects as: no superuser, no BYPASSRLS,
-- and no right to change graph or ledger rows except through the functions in *.sql beside the modules.

create schema graph;
create schema ops;
grant usage on schema graph, ops to {app};

-- The tenant of this transaction; unset means no rows, everywhere.
create function ops.tenant() returns uuid
    language sql stable parallel safe
    return nullif(current_setting('hq.tenant', true), '')::uuid;

create table ops.tenants (
    id             uuid primary key,
    slug           text not null unique,
    name           text not null,
    risk_tolerance text not null default 'balanced' check (risk_tolerance in ('cautious', 'balanced', 'aggressive')),
    founder_id     uuid,
    created_at     timestamptz not null
);

-- One number per call, drawn when the call opens. The announcer's watermark says below which all are settled.
create sequence ops.seq as bigint;

create table ops.principals (
    tenant_id   uuid not null references ops.tenants,
    id          uuid not null,
    kind        text not null check (kind in ('founder', 'device', 'agent', 'worker', 'service')),
    name        text not null,
    actor       text not null,
    producer_id uuid,
    created_at  timestamptz not null,
    primary key (tenant_id, id),
    unique (tenant_id, actor)
);

create table ops.credentials (
    tenant_id    uuid not null,
    id           uuid not null,
    principal_id uuid not null,
    name         text not null,
    token_hash   bytea not null unique,
    scopes       text[] not null,
    single_use   boolean not null default false,
    created_at   timestamptz not null,
    expires_at   timestamptz,
    used_at      timestamptz,
    revoked_at   timestamptz,
    primary key (tenant_id, id),
    foreign key (tenant_id, principal_id) references ops.principals
);

-- What is believed now, true now. Only the functions of graph/functions.sql write here.
create table graph.nodes (
    tenant_id        uuid not null references ops.tenants,
    id               uuid not null,
    type             text not null,
    slug             text not null,
    number           integer,
    title            text not null,
    status           text,
    priority         text,
    occurred_at      timestamptz,
    archived_at      timestamptz,
    props            jsonb not null default '{}',
    tags             text[] not null default '{}',
    producer_id      uuid not null,
    owner_id         uuid,
    external_source  text,
    external_id      text,
    valid_from       timestamptz not null,
    valid_to         timestamptz,
    created_at       timestamptz not null,
    updated_at       timestamptz not null,
    redaction_policy text not null default 'none',
    confidence       real check (confidence between 0 and 1),
    taint            text[] not null default '{}',
    made_seq         bigint not null,
    seq              bigint not null,
    action_id        uuid not null,
    next_change_at   timestamptz,
    primary key (tenant_id, id),
    unique (tenant_id, slug),
    foreign key (tenant_id, producer_id) references graph.nodes deferrable initially deferred,
    foreign key (tenant_id, owner_id) references graph.nodes deferrable initially deferred
);
create index on graph.nodes (tenant_id, type, created_at desc, id desc);
create index on graph.nodes (tenant_id, type, status, created_at desc) where archived_at is null;
create index on graph.nodes (tenant_id, type, priority, created_at desc) where archived_at is null;
create index on graph.nodes (tenant_id, type, occurred_at desc, id desc) where archived_at is null;
create index on graph.nodes (tenant_id, producer_id, created_at desc);
create unique index on graph.nodes (tenant_id, external_source, external_id) where external_id is not null;
create index on graph.nodes (tenant_id, next_change_at) where next_change_at is not null;

-- A link. Where a type allows one target per source, the row is the slot (from, type) and `to_id` may move.
create table graph.edges (
    tenant_id      uuid not null references ops.tenants,
    id             uuid not null,
    type           text not null,
    from_id        uuid not null,
    to_id          uuid not null,
    slot           boolean not null,
    live           boolean not null,
    props          jsonb not null default '{}',
    valid_from     timestamptz not null,
    valid_to       timestamptz,
    producer_id    uuid not null,
    confidence     real check (confidence between 0 and 1),
    taint          text[] not null default '{}',
    created_at     timestamptz not null,
    updated_at     timestamptz not null,
    made_seq       bigint not null,
    seq            bigint not null,
    action_id      uuid not null,
    next_change_at timestamptz,
    primary key (tenant_id, id),
    foreign key (tenant_id, from_id) references graph.nodes on delete restrict,
    foreign key (tenant_id, to_id) references graph.nodes on delete restrict
);
create unique index on graph.edges (tenant_id, from_id, type) where slot;
create unique index on graph.edges (tenant_id, from_id, type, to_id) where not slot;
create index on graph.edges (tenant_id, from_id, type);
create index on graph.edges (tenant_id, to_id, type);
create index on graph.edges (tenant_id, next_change_at) where next_change_at is not null;

-- Every mutation, insert-only. A row is a change point: from `valid_from` on the item looks like `doc`, as far as
-- was known at (recorded_at, seq); `patch` is what was explicitly said there. A later row at the same point
-- supersedes it. What was true at V as known at K is the last row with valid_from <= V and recorded_at <= K.
create table graph.versions (
    tenant_id   uuid not null,
    item_id     uuid not null,
    valid_from  timestamptz not null,
    seq         bigint not null,
    kind        text not null check (kind in ('node', 'edge')),
    recorded_at timestamptz not null,
    planned     boolean not null generated always as (valid_from > recorded_at) stored,
    op          text not null check (op in ('insert', 'update', 'archive', 'restore', 'link', 'unlink', 'undo', 'carry')),
    actor       text not null,
    reason      text not null default '',
    action_id   uuid not null,
    touched     text[] not null,
    patch       jsonb not null,
    doc         jsonb not null,
    from_id     uuid,
    to_id       uuid,
    primary key (tenant_id, item_id, valid_from, seq)
);
create index on graph.versions (tenant_id, item_id, valid_from desc, seq desc) where planned;
create index on graph.versions (tenant_id, seq);
create index on graph.versions (tenant_id, from_id) where kind = 'edge';
create index on graph.versions (tenant_id, to_id) where kind = 'edge';

-- Small numbers per type, where seed 003 asks for them.
create table graph.counters (
    tenant_id uuid not null,
    type      text not null,
    value     integer not null,
    primary key (tenant_id, type)
);

-- The ledger: one row per verb call, whoever called and however it ended. Insert-only.
create table ops.agent_actions (
    tenant_id       uuid not null references ops.tenants,
    seq             bigint not null,
    id              uuid not null,
    actor           text not null,
    principal_id    uuid not null,
    credential_id   uuid,
    session_id      uuid,
    task_id         uuid,
    trace_id        uuid not null,
    parent_id       uuid,
    action_type     text not null,
    kind            text not null,
    target_kind     text,
    target_id       uuid,
    input           jsonb,
    input_hash      bytea not null,
    output          jsonb,
    output_hash     bytea not null,
    status          text not null check (status in ('ok', 'refused', 'failed', 'waiting', 'begun')),
    error_code      text,
    gate            text,
    decision        text,
    model           text,
    cost_usd        numeric(12, 6),
    duration_ms     real not null,
    reason          text not null default '',
    idempotency_key text,
    args_hash       bytea,
    taint           text[] not null default '{}',
    undoes          uuid,
    created_at      timestamptz not null,
    erased_at       timestamptz,
    primary key (tenant_id, seq),
    unique (tenant_id, id)
);
create unique index agent_actions_once on ops.agent_actions (tenant_id, principal_id, action_type, idempotency_key)
    where idempotency_key is not null and status in ('ok', 'waiting');
create index on ops.agent_actions (tenant_id, idempotency_key) where idempotency_key is not null;
create index on ops.agent_actions (tenant_id, undoes) where undoes is not null;
create index on ops.agent_actions (tenant_id, target_id, seq desc) where target_id is not null;
create index on ops.agent_actions (tenant_id, actor, seq desc);
create index on ops.agent_actions (tenant_id, action_type, seq desc);
create index on ops.agent_actions (tenant_id, status, seq desc) where status <> 'ok';
create index on ops.agent_actions (tenant_id, task_id, seq) where task_id is not null;
create index on ops.agent_actions (tenant_id, parent_id) where parent_id is not null;
create index on ops.agent_actions (seq);

-- What a call said to the world, inserted in its own transaction; the announcer reads it in order of seq.
create table ops.outbox (
    tenant_id  uuid not null,
    seq        bigint not null,
    ordinal    smallint not null,
    topic      text not null,
    action_id  uuid not null,
    payload    jsonb not null,
    created_at timestamptz not null,
    primary key (tenant_id, seq, ordinal)
);
create index on ops.outbox (seq);

-- The chain over the ledger, one link per action, per tenant, written by the announcer in batches.
create table ops.ledger (
    tenant_id uuid not null,
    position  bigint not null,
    seq       bigint not null,
    digest    bytea not null,
    chain     bytea not null,
    primary key (tenant_id, position),
    unique (tenant_id, seq)
);

-- How far the announcer came: every call up to `watermark` is settled, and every one up to `chained` is linked.
create table ops.announcer (
    one       boolean primary key default true check (one),
    watermark bigint not null default 0,
    chained   bigint not null default 0,
    beat_at   timestamptz
);
insert into ops.announcer default values;

-- An outside effect that was begun; its outcome is the action of the same id, or unknown.
create table ops.effects (
    tenant_id       uuid not null,
    action_id       uuid not null,
    principal_id    uuid not null,
    action_type     text not null,
    idempotency_key text,
    args_hash       bytea not null,
    started_at      timestamptz not null,
    primary key (tenant_id, action_id)
);
create unique index on ops.effects (tenant_id, principal_id, action_type, idempotency_key)
    where idempotency_key is not null;

create table ops.freezes (
    tenant_id  uuid not null,
    id         uuid not null,
    scope      text not null,
    reason     text not null default '',
    until      timestamptz,
    created_at timestamptz not null,
    created_by text not null,
    lifted_at  timestamptz,
    lifted_by  text,
    primary key (tenant_id, id)
);
create unique index on ops.freezes (tenant_id, scope) where lifted_at is null;

-- Secrets at rest: AES-GCM under a key that is not in the database, bound to tenant, name and version.
create table ops.vault (
    tenant_id  uuid not null,
    name       text not null,
    version    integer not null,
    key_id     text not null,
    nonce      bytea not null,
    ciphertext bytea not null,
    created_at timestamptz not null,
    created_by text not null,
    primary key (tenant_id, name)
);

-- Isolation: the product's role sees the rows of its transaction's tenant and no others.
do $$
declare
    t regclass;
begin
    foreach t in array array['ops.principals', 'ops.credentials', 'graph.nodes', 'graph.edges', 'graph.versions',
                             'graph.counters', 'ops.agent_actions', 'ops.outbox', 'ops.ledger', 'ops.effects',
                             'ops.freezes', 'ops.vault']::regclass[] loop
        execute format('alter table %s enable row level security', t);
        execute format('create policy tenant on %s using (tenant_id = ops.tenant()) with check (tenant_id = ops.tenant())', t);
        execute format('grant select on %s to {app}', t);
    end loop;
end $$;
alter table ops.tenants enable row level security;
create policy tenant on ops.tenants using (id = ops.tenant()) with check (id = ops.tenant());
grant select, update (name, risk_tolerance) on ops.tenants to {app};
grant select on ops.announcer to {app};
grant insert on ops.principals, ops.credentials, ops.freezes, ops.vault to {app};
grant update (revoked_at) on ops.credentials to {app};
grant update (lifted_at, lifted_by) on ops.freezes to {app};
grant update (version, key_id, nonce, ciphertext, created_at, created_by) on ops.vault to {app};
grant delete on ops.vault to {app};

-- The seed's names for the two histories.
create view graph.history_nodes with (security_invoker = true) as
    select item_id as id, op, actor, reason, recorded_at, seq, valid_from, doc as row, patch, action_id, tenant_id
      from graph.versions where kind = 'node';
create view graph.history_edges with (security_invoker = true) as
    select item_id as id, op, actor, reason, recorded_at, seq, valid_from, doc as row, patch, action_id, tenant_id,
           from_id, to_id
      from graph.versions where kind = 'edge';
grant select on graph.history_nodes, graph.history_edges to {app};
