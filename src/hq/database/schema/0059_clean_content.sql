-- What the company made by itself, by its hash: contents of files and their paths, written where nothing from outside had been
-- read. Whatever is not here came from outside, or nobody knows.
create table ops.clean_content (
    tenant_id uuid not null references ops.tenants,
    hash      bytea not null check (octet_length(hash) = 32),
    made_at   timestamptz not null,
    primary key (tenant_id, hash)
);
alter table ops.clean_content enable row level security;
create policy tenant on ops.clean_content using (tenant_id = ops.tenant()) with check (tenant_id = ops.tenant());
grant select, insert on ops.clean_content to {app};

-- What programs and calls brought into a tree from outside. Of those that were there before nobody knows.
alter table ops.workspace_trees add column taint text[] not null default '{}';
update ops.workspace_trees set taint = '{workspace}';
grant update (taint) on ops.workspace_trees to {app};
