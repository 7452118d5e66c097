-- Beats that are passed over while nothing happens: whether this is one, and how far the ledger was when it last looked.
alter table ops.beats
    add column after_work boolean not null default false,
    add column seen bigint not null default 0;
