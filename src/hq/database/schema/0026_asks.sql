-- Where an ask is shown and when it was last brought to mind: liveness, so no node is written for it. The card in the
-- conversation is a face of its own, in `ops.cards`.
create table ops.ask_faces (
    tenant_id     uuid not null references ops.tenants,
    ask           uuid not null,
    channel       text not null,
    -- What it is called there, where that is not here: a message in another house.
    remote_id     text,
    shown_at      timestamptz,
    nudged_at     timestamptz,
    escalated_at  timestamptz,
    snoozed_until timestamptz,
    read_at       timestamptz,
    primary key (tenant_id, ask, channel)
);
alter table ops.ask_faces enable row level security;
create policy tenant on ops.ask_faces using (tenant_id = ops.tenant()) with check (tenant_id = ops.tenant());
grant select, insert, update on ops.ask_faces to {app};

-- What waits, in all companies and in one: few among many. (Its words are those of `ops.open_asks`.)
create index on graph.nodes (tenant_id, created_at)
 where archived_at is null
   and (type, status) in (('approval', 'pending'), ('proposal', 'pending'), ('review', 'open'), ('review', 'deferred'),
                          ('escalation', 'open'), ('question', 'open'), ('question', 'escalated'));

-- The ask that a card is a face of.
alter table ops.cards add column ask uuid;
create index on ops.cards (tenant_id, ask) where ask is not null;
grant update (ask) on ops.cards to {app};

-- Whoever waits for an approval hears of every end of it.
update ops.waits set topics = topics || array['approval.cancelled', 'approval.expired']
 where thing like 'approval:%' and topics @> array['approval.done'];

-- What is put together in one place now, `ops.asks`.
drop function if exists ops.waits_for_founder();
drop function if exists ops.asked(uuid);
