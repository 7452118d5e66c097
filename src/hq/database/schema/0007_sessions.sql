-- Sessions and their journal: durable work. A session is claimed under a lease, its journal is what happened, and the
-- journal's key is the fence: two workers cannot write the same step.

create table ops.sessions (
    tenant_id    uuid not null references ops.tenants,
    id           uuid not null,
    kind         text not null check (kind in ('agent', 'worker', 'thread')),
    agent        text not null,
    principal_id uuid not null,
    parent_id    uuid,
    task_id      uuid not null,
    trigger_kind text not null check (trigger_kind in ('beat', 'outbox', 'dm', 'mission', 'spawn')),
    trigger      jsonb not null,
    state        text not null check (state in ('queued', 'running', 'waiting', 'done', 'failed', 'stopped')),
    wake_at      timestamptz,
    holder       text,
    lease_until  timestamptz,
    claimed_step integer not null default 0,
    tries        smallint not null default 0,
    stop         text,
    exit_code    smallint,
    closed_as    text,
    result       jsonb,
    forked_from  uuid,
    forked_at    integer,
    taint        text[] not null default '{}',
    created_at   timestamptz not null,
    updated_at   timestamptz not null,
    ended_at     timestamptz,
    primary key (tenant_id, id),
    foreign key (tenant_id, principal_id) references ops.principals
);
create index on ops.sessions (created_at, id) where state = 'queued';
create index on ops.sessions (lease_until) where state = 'running';
create index on ops.sessions (wake_at) where state = 'waiting' and wake_at is not null;
create index on ops.sessions (tenant_id, agent, created_at desc, id desc);
create index on ops.sessions (tenant_id, state, created_at desc, id desc);
create index on ops.sessions (tenant_id, parent_id, created_at) where parent_id is not null;

-- What happened in a session, step by step. Insert-only.
create table ops.journal (
    tenant_id  uuid not null,
    session_id uuid not null,
    step       integer not null,
    kind       text not null check (kind in ('open', 'mind', 'verb', 'wait', 'wake', 'note', 'close')),
    action_id  uuid,
    payload    jsonb not null,
    holder     text not null,
    created_at timestamptz not null,
    constraint journal_fence primary key (tenant_id, session_id, step),
    foreign key (tenant_id, session_id) references ops.sessions
);

-- What a waiting session waits for: an event about this thing, since this call.
create table ops.waits (
    tenant_id  uuid not null,
    session_id uuid not null,
    thing      text not null,
    since      bigint not null,
    primary key (tenant_id, session_id, thing),
    foreign key (tenant_id, session_id) references ops.sessions
);
create index on ops.waits (tenant_id, thing);

do $$
declare
    t regclass;
begin
    foreach t in array array['ops.sessions', 'ops.journal', 'ops.waits']::regclass[] loop
        execute format('alter table %s enable row level security', t);
        execute format('create policy tenant on %s using (tenant_id = ops.tenant()) with check (tenant_id = ops.tenant())', t);
        execute format('grant select on %s to {app}', t);
    end loop;
end $$;

-- What an agent's sessions may do; nothing means whatever its own credentials say.
alter table ops.principals add column scopes text[];
grant update (scopes) on ops.principals to {app};

-- How far the router came. It looks again at what came in since `looked_from`, so that a session which lay down just
-- then is not missed.
alter table ops.announcer add column routed bigint not null default 0;
alter table ops.announcer add column looked_from bigint not null default 0;
alter table ops.announcer add column looked_at timestamptz not null default '-infinity';
