-- The conversation: what an agent is saying just now, and its lines in order.

-- The words of a mind that has not finished, one row a session, for whoever follows. Worth nothing after a crash: the
-- mind is asked again then. A row is spent as soon as the journal has its step.
create unlogged table ops.drafts (
    tenant_id  uuid not null references ops.tenants,
    session_id uuid not null,
    step       integer not null,
    body       text not null,
    primary key (tenant_id, session_id)
);
alter table ops.drafts enable row level security;
create policy tenant on ops.drafts using (tenant_id = ops.tenant()) with check (tenant_id = ops.tenant());
grant select on ops.drafts to {app};

-- Where a conversation's lines are looked up, from the newest back.
create index on ops.messages (tenant_id, session_id, step desc, id desc);
create index on ops.sessions (tenant_id, name, id) where kind = 'thread';
