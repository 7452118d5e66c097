-- Minds: which models a company uses for what, and which of their doors are closed for now.

create table ops.minds (
    tenant_id  uuid not null references ops.tenants,
    name       text not null,
    provider   text not null,
    model      text,
    base_url   text,
    key_name   text,
    tiers      text[] not null,
    rank       integer not null,
    seconds    integer not null,
    created_at timestamptz not null,
    created_by text not null,
    primary key (tenant_id, name)
);

-- A provider and a key whose quota is used up: every process of the company waits for the same moment.
-- Machine bookkeeping, like a lease: written by whoever was turned away.
create table ops.mind_doors (
    tenant_id  uuid not null references ops.tenants,
    door       text not null,
    closed_until timestamptz not null,
    why        text not null,
    times      integer not null,
    primary key (tenant_id, door)
);

do $$
declare
    t regclass;
begin
    foreach t in array array['ops.minds', 'ops.mind_doors']::regclass[] loop
        execute format('alter table %s enable row level security', t);
        execute format('create policy tenant on %s using (tenant_id = ops.tenant()) with check (tenant_id = ops.tenant())', t);
        execute format('grant select, insert, update, delete on %s to {app}', t);
    end loop;
end $$;
