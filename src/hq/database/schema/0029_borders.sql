-- The opening of a call brings what agents' files keep for one of them, too; `functions.sql` makes it anew.
drop function if exists ops.open_call(bytea, text, text, uuid, text, text, timestamptz, boolean, boolean);
