-- The way in for the founder: messages that are runs, and how far each device has read.

-- A message that is a run (001 §5): {"id": its number, "timeout": seconds it may work, "notify": tell when it is over}; or that
-- brings an agent into another conversation: {"id", "mention": whose}.
alter table ops.messages add column run jsonb;
-- Their signatures have grown; `functions.sql` makes them anew.
drop function if exists ops.take_messages(uuid, integer, timestamptz);
drop function if exists ops.tell_session(uuid, uuid, text, text, text, text[], timestamptz);

-- How far somebody has read a conversation, on one device.
create table ops.chat_reads (
    tenant_id    uuid not null references ops.tenants,
    principal_id uuid not null,
    thread       text collate "C" not null,
    session_id   uuid not null,
    step         integer not null,
    read_at      timestamptz not null,
    primary key (tenant_id, principal_id, thread),
    foreign key (tenant_id, principal_id) references ops.principals
);
alter table ops.chat_reads enable row level security;
create policy tenant on ops.chat_reads using (tenant_id = ops.tenant()) with check (tenant_id = ops.tenant());
grant select, insert on ops.chat_reads to {app};
grant update (session_id, step, read_at) on ops.chat_reads to {app};
