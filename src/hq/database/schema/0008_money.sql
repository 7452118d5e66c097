-- Money: every model call, what is set aside for those under way, and what was spent against which limit.

-- One row per model call, failed ones too. Insert-only; written when a call's reservation is settled.
create table ops.llm_call_log (
    tenant_id       uuid not null references ops.tenants,
    id              bigint generated always as identity,
    agent_id        text not null,
    session_id      uuid,
    step            integer,
    task_id         uuid,
    mission_id      uuid,
    trace_id        uuid,
    provider        text not null,
    model           text not null,
    tier            text not null,
    tokens_in       bigint not null,
    tokens_out      bigint not null,
    tokens_cached   bigint not null,
    cost_usd        numeric(14, 6),
    priced          boolean not null,
    estimated       boolean not null,
    reserved_usd    numeric(14, 6),
    reserved_tokens bigint not null,
    latency_ms      integer,
    error           text,
    canary_id       text,
    purpose         text not null default '',
    started_at      timestamptz not null,
    primary key (tenant_id, id)
);
create index on ops.llm_call_log (tenant_id, started_at desc);
create index on ops.llm_call_log (tenant_id, agent_id, started_at desc);
create index on ops.llm_call_log (tenant_id, session_id) where session_id is not null;

-- The same by day, so that what things cost can be asked without reading the log.
create table ops.llm_daily (
    tenant_id     uuid not null references ops.tenants,
    day           date not null,
    agent_id      text not null,
    mission_id    text not null,
    model         text not null,
    calls         bigint not null,
    failed        bigint not null,
    unpriced      bigint not null,
    estimated     bigint not null,
    tokens_in     bigint not null,
    tokens_out    bigint not null,
    tokens_cached bigint not null,
    cost_usd      numeric(14, 6) not null,
    primary key (tenant_id, day, agent_id, mission_id, model)
);

-- What a call that is under way may cost at most.
create table ops.llm_reservations (
    tenant_id  uuid not null references ops.tenants,
    id         uuid not null,
    scopes     text[] not null,
    agent_id   text not null,
    mission_id uuid,
    session_id uuid,
    step       integer,
    task_id    uuid,
    holder     text,
    provider   text not null,
    model      text not null,
    tier       text not null,
    purpose    text not null,
    usd        numeric(14, 6),
    tokens_in  bigint not null,
    tokens_out bigint not null,
    made_at    timestamptz not null,
    put_at     timestamptz not null default clock_timestamp(),
    primary key (tenant_id, id)
);
create index on ops.llm_reservations (tenant_id, session_id);

-- One row per company, agent and mission: what it spent in the hour, day and month that each began then, in all, and
-- what is set aside now. A period that is over counts as nothing spent.
create table ops.meters (
    tenant_id       uuid not null references ops.tenants,
    scope           text not null,
    hour_at         timestamptz not null default '-infinity',
    hour_usd        numeric(14, 6) not null default 0,
    hour_tokens     bigint not null default 0,
    hour_heavy      bigint not null default 0,
    day_at          timestamptz not null default '-infinity',
    day_usd         numeric(14, 6) not null default 0,
    day_tokens      bigint not null default 0,
    day_heavy       bigint not null default 0,
    month_at        timestamptz not null default '-infinity',
    month_usd       numeric(14, 6) not null default 0,
    month_tokens    bigint not null default 0,
    month_heavy     bigint not null default 0,
    total_usd       numeric(14, 6) not null default 0,
    total_tokens    bigint not null default 0,
    total_heavy     bigint not null default 0,
    reserved_usd    numeric(14, 6) not null default 0,
    reserved_tokens bigint not null default 0,
    reserved_heavy  bigint not null default 0,
    primary key (tenant_id, scope)
) with (fillfactor = 50);

-- Which limits somebody was warned about, once per period.
create table ops.budget_warnings (
    tenant_id uuid not null references ops.tenants,
    scope     text not null,
    period    text not null,
    measure   text not null,
    began_at  timestamptz not null,
    warned_at timestamptz not null,
    primary key (tenant_id, scope, period, measure, began_at)
);

-- Which limit an agent stopped at: when that is no longer in its way, it may work again.
create table ops.budget_stops (
    tenant_id  uuid not null references ops.tenants,
    agent      text not null,
    scope      text not null,
    period     text not null,
    measure    text not null,
    asked      numeric not null,
    stopped_at timestamptz not null,
    primary key (tenant_id, agent)
);

do $$
declare
    t regclass;
begin
    foreach t in array array['ops.llm_call_log', 'ops.llm_daily', 'ops.llm_reservations', 'ops.meters',
                             'ops.budget_warnings', 'ops.budget_stops']::regclass[] loop
        execute format('alter table %s enable row level security', t);
        execute format('create policy tenant on %s using (tenant_id = ops.tenant()) with check (tenant_id = ops.tenant())', t);
        execute format('grant select on %s to {app}', t);
    end loop;
end $$;
grant insert on ops.budget_warnings to {app};
grant insert, update, delete on ops.budget_stops to {app};

-- For the watchdog and for wakes: who ended lately, who woke whom.
create index on ops.sessions (ended_at) where ended_at is not null;
