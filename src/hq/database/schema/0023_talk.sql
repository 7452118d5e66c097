-- What of a call counts against the tokens of a run: what came from the provider's cache by its price.
alter table ops.llm_call_log add column tokens_counted bigint;
-- Their signatures have grown; `functions.sql` makes them anew.
drop function if exists ops.book_as_estimated(ops.llm_reservations, timestamptz);
drop function if exists ops.settle_call(uuid, text, text, bigint, bigint, bigint, numeric, boolean, boolean, integer, text, timestamptz);
drop function if exists ops.book(ops.llm_reservations, text, text, bigint, bigint, bigint, numeric, boolean, boolean, integer, text, timestamptz);
