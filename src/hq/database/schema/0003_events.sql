-- Outgoing webhooks. The endpoint itself is a node; here is how far it came and what became of each delivery.

-- How an endpoint is doing: everything up to (seq, ordinal) was delivered, given up or not wanted.
create table ops.webhooks (
    tenant_id     uuid not null,
    webhook_id    uuid not null,
    seq           bigint not null,
    ordinal       smallint not null,
    last          text not null,
    next_try_at   timestamptz,
    failing_since timestamptz,
    primary key (tenant_id, webhook_id),
    foreign key (tenant_id, webhook_id) references graph.nodes
);
comment on column ops.webhooks.last is 'The id of the event told last, or the position the endpoint began behind.';

-- One row per endpoint and event, written before the attempt and after it.
create table ops.webhook_deliveries (
    tenant_id       uuid not null,
    webhook_id      uuid not null,
    seq             bigint not null,
    ordinal         smallint not null,
    topic           text not null,
    status          text not null check (status in ('sending', 'failed', 'delivered', 'dead', 'again')),
    attempts        integer not null,
    response_status integer,
    error           text,
    duration_ms     real,
    tried_at        timestamptz not null,
    primary key (tenant_id, webhook_id, seq, ordinal)
);
create index on ops.webhook_deliveries (tenant_id, webhook_id, status) where status <> 'delivered';
create index on ops.webhook_deliveries (tried_at) where status = 'delivered';

do $$
declare
    t regclass;
begin
    foreach t in array array['ops.webhooks', 'ops.webhook_deliveries']::regclass[] loop
        execute format('alter table %s enable row level security', t);
        execute format('create policy tenant on %s using (tenant_id = ops.tenant()) with check (tenant_id = ops.tenant())', t);
        execute format('grant select on %s to {app}', t);
    end loop;
end $$;
grant insert, delete, update (seq, ordinal, last, next_try_at, failing_since) on ops.webhooks to {app};
grant delete, update (status) on ops.webhook_deliveries to {app};
