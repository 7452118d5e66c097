-- What a call that is under way is expected to count for in tokens: of what its session sent before, a provider's cache gives most.
alter table ops.llm_reservations add column tokens_counted bigint;
