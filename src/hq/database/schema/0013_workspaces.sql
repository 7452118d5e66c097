-- The working trees of a workspace: one for each session, so that two agents never write to the same files.
-- `base` is the snapshot it began from or was last merged at, `saved` the last one taken of it.
create table ops.workspace_trees (
    tenant_id    uuid not null references ops.tenants,
    workspace_id uuid not null,
    session      text not null,
    state        text not null check (state in ('open', 'dropped')),
    base         text not null,
    saved        text,
    opened_at    timestamptz not null,
    opened_by    text not null,
    saved_at     timestamptz,
    merged_at    timestamptz,
    dropped_at   timestamptz,
    primary key (tenant_id, workspace_id, session),
    foreign key (tenant_id, workspace_id) references graph.nodes on delete restrict
);
alter table ops.workspace_trees enable row level security;
create policy tenant on ops.workspace_trees using (tenant_id = ops.tenant()) with check (tenant_id = ops.tenant());
grant select, insert on ops.workspace_trees to {app};
grant update (state, base, saved, opened_at, opened_by, saved_at, merged_at, dropped_at) on ops.workspace_trees to {app};
