-- What coding programs did, step by step: append-only, beside the node of the run.
create table ops.code_steps (
    tenant_id uuid not null references ops.tenants,
    run_id    uuid not null,
    step      bigint not null,
    at        timestamptz not null,
    kind      text not null,
    tool      text not null,
    text      text not null,
    primary key (tenant_id, run_id, step),
    foreign key (tenant_id, run_id) references graph.nodes on delete restrict
);
alter table ops.code_steps enable row level security;
create policy tenant on ops.code_steps using (tenant_id = ops.tenant()) with check (tenant_id = ops.tenant());
grant select, insert on ops.code_steps to {app};
