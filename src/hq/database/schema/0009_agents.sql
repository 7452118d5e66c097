-- Agents at work: the company's time zone, events that wait for an agent, beats, and how far each duty came.

alter table ops.tenants add column time_zone text not null default 'UTC';
grant update (time_zone) on ops.tenants to {app};

-- Events that an agent is to be woken with. They wait here until its next session opens, and go with it.
create table ops.wakes (
    tenant_id  uuid not null references ops.tenants,
    agent      text not null,
    seq        bigint not null,
    ordinal    smallint not null,
    topic      text not null,
    payload    jsonb not null,
    taint      text[] not null default '{}',
    hops       smallint not null default 0,
    root       uuid,
    created_at timestamptz not null,
    primary key (tenant_id, agent, seq, ordinal)
);

-- When agents wake by themselves: one row a schedule. `due_at` is the next occurrence, in business time.
create table ops.beats (
    tenant_id uuid not null references ops.tenants,
    agent     text not null,
    cron      text not null,
    says      text not null default '',
    enabled   boolean not null default true,
    due_at    timestamptz not null,
    last_at   timestamptz,
    primary key (tenant_id, agent, cron)
);
create index on ops.beats (due_at) where enabled;

-- How far a duty of the house came for a company, and what it did there last.
create table ops.duties (
    tenant_id uuid not null references ops.tenants,
    name      text not null,
    upto      bigint not null default 0,
    ran_at    timestamptz,
    did       text,
    failed    text,
    primary key (tenant_id, name)
);

do $$
declare
    t regclass;
begin
    foreach t in array array['ops.wakes', 'ops.beats', 'ops.duties']::regclass[] loop
        execute format('alter table %s enable row level security', t);
        execute format('create policy tenant on %s using (tenant_id = ops.tenant()) with check (tenant_id = ops.tenant())', t);
        execute format('grant select, insert, update, delete on %s to {app}', t);
    end loop;
end $$;

create index on ops.sessions (tenant_id, agent, ended_at desc) where kind = 'agent';
create index on ops.sessions (tenant_id, agent) where kind = 'agent' and state in ('queued', 'running');
