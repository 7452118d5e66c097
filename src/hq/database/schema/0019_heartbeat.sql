-- The CEO notices and speaks first: what was noticed, the cards that came of it, and what starts by the clock.

-- When the founder is not to be disturbed, in the company's own time; both empty means never.
alter table ops.tenants add column quiet_from time default '22:00';
alter table ops.tenants add column quiet_to time default '07:00';
grant update (quiet_from, quiet_to) on ops.tenants to {app};

-- One row per occurrence of a trigger. The key is what happened and to what; `n` counts how often it was armed again.
create table ops.occurrences (
    tenant_id  uuid not null references ops.tenants,
    trigger    text not null,
    subject    text not null,
    n          integer not null,
    severity   text not null check (severity in ('info', 'warning', 'critical')),
    facts      jsonb not null,
    seen_at    timestamptz not null,
    -- Since when somebody is at it; whoever does not come back is followed by another.
    taken_at   timestamptz,
    handled_at timestamptz,
    -- Who decided, and the actions that came of it; none is an answer too.
    decided_by text,
    actions    jsonb,
    primary key (tenant_id, trigger, subject, n)
);
create index on ops.occurrences (tenant_id, seen_at desc);
create index on ops.occurrences (tenant_id) where handled_at is null;

-- What the CEO puts before the founder. A card is shown in the conversation at a step of its journal, and pressed once.
create table ops.cards (
    tenant_id  uuid not null references ops.tenants,
    id         uuid not null,
    agent      text not null,
    kind       text not null check (kind in ('hire', 'skill', 'budget', 'report', 'mission', 'attention', 'choice', 'alert')),
    severity   text not null check (severity in ('info', 'warning', 'critical')),
    title      text not null,
    body       text not null default '',
    facts      jsonb not null default '[]',
    buttons    jsonb not null default '[]',
    -- It asks for something: it counts on the badge until it is answered.
    asks       boolean not null,
    -- It is worth something only while this node is in one of these states, and until that moment.
    about      uuid,
    open_while text[],
    expires_at timestamptz,
    -- Not shown before this moment; shown once it has a place in the conversation.
    due_at     timestamptz not null,
    session_id uuid,
    step       integer,
    shown_at   timestamptz,
    pressed    text,
    pressed_by text,
    pressed_at timestamptz,
    taint      text[] not null default '{}',
    created_at timestamptz not null,
    primary key (tenant_id, id)
);
create index on ops.cards (tenant_id, session_id, step) where session_id is not null;
create index on ops.cards (due_at) where shown_at is null;
create index on ops.cards (tenant_id, shown_at desc);
create index on ops.cards (tenant_id) where asks and pressed is null and shown_at is not null;

-- When a schedule starts next, in business time; the schedule itself is a node.
create table ops.schedules (
    tenant_id uuid not null references ops.tenants,
    id        uuid not null,
    due_at    timestamptz not null,
    last_at   timestamptz,
    primary key (tenant_id, id),
    foreign key (tenant_id, id) references graph.nodes
);
create index on ops.schedules (due_at);

do $$
declare
    t regclass;
begin
    foreach t in array array['ops.occurrences', 'ops.cards', 'ops.schedules']::regclass[] loop
        execute format('alter table %s enable row level security', t);
        execute format('create policy tenant on %s using (tenant_id = ops.tenant()) with check (tenant_id = ops.tenant())', t);
        execute format('grant select, insert on %s to {app}', t);
    end loop;
end $$;
grant update (taken_at, handled_at, decided_by, actions) on ops.occurrences to {app};
grant update (due_at, session_id, step, shown_at, pressed, pressed_by, pressed_at) on ops.cards to {app};
grant update, delete on ops.schedules to {app};

-- What the heartbeat looks at, however much is done already.
create index on graph.nodes (tenant_id, (array_position(array['critical', 'high', 'medium', 'low'], priority)), created_at)
    where type = 'mission' and status = 'backlog' and archived_at is null;
create index on graph.nodes (tenant_id, updated_at) where type = 'mission' and archived_at is null;
