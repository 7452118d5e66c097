-- What agents and people say to each other: one row a message, append-only but for where it is on its way. It takes the
-- place of what was kept for threads alone.

drop table ops.thread_messages;

create table ops.messages (
    tenant_id      uuid not null references ops.tenants,
    id             uuid not null,
    -- The first message of the conversation it belongs to.
    thread_id      uuid not null,
    reply_to       uuid,
    kind           text not null
                   check (kind in ('command', 'report', 'question', 'answer', 'interrupt', 'escalation', 'fyi')),
    sender         text not null,
    sender_session uuid,
    -- As it was written, such as `manager`; `recipient` is who that came to be: an actor, or nobody yet.
    address        text not null,
    recipient      text,
    seat           uuid,
    -- The session it is for, or that took it up at `step` of its journal.
    session_id     uuid,
    step           integer,
    body           text not null,
    hard           boolean not null default false,
    state          text not null check (state in ('queued', 'delivered', 'read', 'answered', 'expired')),
    deadline       timestamptz,
    patience       interval,
    hops           smallint not null default 0,
    root           uuid,
    taint          text[] not null default '{}',
    created_at     timestamptz not null,
    delivered_at   timestamptz,
    read_at        timestamptz,
    answered_at    timestamptz,
    primary key (tenant_id, id),
    foreign key (tenant_id, session_id) references ops.sessions,
    foreign key (tenant_id, sender_session) references ops.sessions
);
create index on ops.messages (tenant_id, recipient, created_at desc, id desc);
create index on ops.messages (tenant_id, sender, created_at desc, id desc);
create index on ops.messages (tenant_id, thread_id, created_at, id);
create index on ops.messages (tenant_id, reply_to) where reply_to is not null;
create index on ops.messages (tenant_id, session_id) where step is null;
create index on ops.messages (tenant_id, recipient) where state = 'queued';
create index on ops.messages (tenant_id, session_id) where kind = 'question' and state in ('delivered', 'read');
create index on ops.messages (deadline) where state in ('queued', 'delivered', 'read') and deadline is not null;

alter table ops.messages enable row level security;
create policy tenant on ops.messages using (tenant_id = ops.tenant()) with check (tenant_id = ops.tenant());
grant select, insert on ops.messages to {app};
-- What was said stays as it was said; only its way goes on.
grant update (recipient, seat, session_id, step, state, deadline, delivered_at, read_at, answered_at) on ops.messages to {app};

create index on graph.nodes (tenant_id, (props ->> 'from_session')) where type = 'handoff';
create index on graph.nodes (tenant_id) where type = 'handoff' and status = 'requested';
