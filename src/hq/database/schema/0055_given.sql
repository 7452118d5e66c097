-- A call opens with more than before: what the record of the agent that makes it says that it is given.
drop function if exists ops.open_call(bytea, text, text, uuid, text, text, timestamptz, boolean, boolean);
