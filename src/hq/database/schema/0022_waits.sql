-- Which events about a thing end a wait; none means any. An event that would not settle it wakes nobody.
alter table ops.waits add column topics text[];
-- Its signature has grown; `functions.sql` makes it anew.
drop function if exists ops.park_session(uuid, text[], bigint, timestamptz);
