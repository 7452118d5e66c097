-- What programs ask that talk to hq as to a model: one request, one session. It is kept beside the session, for it may be long.
create table ops.completions (
    tenant_id  uuid not null references ops.tenants,
    session_id uuid not null,
    request    jsonb not null,
    created_at timestamptz not null,
    primary key (tenant_id, session_id),
    foreign key (tenant_id, session_id) references ops.sessions
);
create index on ops.completions (tenant_id, created_at desc, session_id desc);
alter table ops.completions enable row level security;
create policy tenant on ops.completions using (tenant_id = ops.tenant()) with check (tenant_id = ops.tenant());
grant select, insert on ops.completions to {app};
