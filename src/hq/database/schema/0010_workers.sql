-- Workers and threads: sessions with a name and rights of their own, and what is said to a thread while nobody holds it.
-- Beside them, what the Claude Agent SDK keeps of its sessions.

alter table ops.sessions add column name text collate "C";
alter table ops.sessions add column scopes text[];
-- The number of the call that opened it: nothing that happens to it is older.
alter table ops.sessions add column opened_seq bigint default nullif(current_setting('hq.seq', true), '')::bigint;
-- A worker's name is its artifact directory's for good; a thread's name is free again once it is over.
create unique index sessions_named on ops.sessions (tenant_id, name)
    where name is not null and (kind = 'worker' or state in ('queued', 'running', 'waiting'));
create index on ops.sessions (tenant_id, created_at desc, id desc) where kind = 'worker';

-- What was said to a thread. `step` is where its journal took it up; until then it waits.
create table ops.thread_messages (
    tenant_id  uuid not null,
    id         uuid not null,
    session_id uuid not null,
    actor      text not null,
    body       text not null,
    taint      text[] not null default '{}',
    step       integer,
    created_at timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, session_id) references ops.sessions
);
create index on ops.thread_messages (tenant_id, session_id) where step is null;

-- Transcripts of coding agents (002 §20.2): each row is what one append brought.
create table ops.agent_sessions (
    id         bigserial not null,
    tenant_id  uuid not null references ops.tenants,
    key        text collate "C" not null,
    entries    jsonb not null,
    created_at timestamptz not null,
    primary key (tenant_id, id)
);
create index on ops.agent_sessions (tenant_id, key, id);

do $$
declare
    t regclass;
begin
    foreach t in array array['ops.thread_messages', 'ops.agent_sessions']::regclass[] loop
        execute format('alter table %s enable row level security', t);
        execute format('create policy tenant on %s using (tenant_id = ops.tenant()) with check (tenant_id = ops.tenant())', t);
        execute format('grant select on %s to {app}', t);
    end loop;
end $$;
grant insert, delete on ops.agent_sessions to {app};
grant usage on sequence ops.agent_sessions_id_seq to {app};
