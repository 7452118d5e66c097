-- What other servers offer through a connector: each tool as it was last seen, and as the founder accepted it.
create table ops.connector_tools (
    tenant_id     uuid not null references ops.tenants,
    connector_id  uuid not null,
    name          text not null,
    definition    jsonb not null,
    hash          text not null,
    seen_at       timestamptz not null,
    gone_at       timestamptz,
    approved      jsonb,
    approved_hash text,
    approved_by   text,
    approved_at   timestamptz,
    primary key (tenant_id, connector_id, name),
    foreign key (tenant_id, connector_id) references graph.nodes on delete restrict
);
alter table ops.connector_tools enable row level security;
create policy tenant on ops.connector_tools using (tenant_id = ops.tenant()) with check (tenant_id = ops.tenant());
grant select, insert on ops.connector_tools to {app};
grant update (definition, hash, seen_at, gone_at, approved, approved_hash, approved_by, approved_at)
    on ops.connector_tools to {app};
