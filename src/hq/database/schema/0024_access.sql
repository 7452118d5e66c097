-- The house's own hand is no service that somebody was given a token for: it is a kind of its own, and what is for the
-- house alone is for no service.
alter table ops.principals drop constraint principals_kind_check;
alter table ops.principals add constraint principals_kind_check
    check (kind in ('founder', 'device', 'agent', 'worker', 'service', 'house'));
update ops.principals set kind = 'house' where actor in ('service:hq', 'service:webhooks');
-- It brings what the caller is, too; `functions.sql` makes it anew.
drop function if exists ops.open_call(bytea, text, text, uuid, text, text, timestamptz, boolean, boolean);
