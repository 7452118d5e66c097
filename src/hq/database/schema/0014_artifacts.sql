-- What tools gave back, kept whole: the bytes by their hash, and which call left them there.
create table ops.blobs (
    tenant_id  uuid not null references ops.tenants,
    hash       bytea not null check (length(hash) = 32),
    size       integer not null,
    content    bytea not null,
    created_at timestamptz not null,
    primary key (tenant_id, hash)
);

create table ops.artifacts (
    tenant_id  uuid not null references ops.tenants,
    id         uuid not null,
    action_id  uuid not null,
    name       text not null,
    media_type text not null,
    hash       bytea not null,
    size       integer not null,
    complete   boolean not null,
    taint      text[] not null,
    created_at timestamptz not null,
    created_by text not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, hash) references ops.blobs
);
create index artifacts_of_call on ops.artifacts (tenant_id, action_id);

do $$
declare
    t regclass;
begin
    foreach t in array array['ops.blobs', 'ops.artifacts']::regclass[] loop
        execute format('alter table %s enable row level security', t);
        execute format('create policy tenant on %s using (tenant_id = ops.tenant()) with check (tenant_id = ops.tenant())', t);
        execute format('grant select, insert on %s to {app}', t);
    end loop;
end $$;
