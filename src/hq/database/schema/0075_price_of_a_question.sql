-- What a call that is under way costs where no answer comes of it: the question alone.
alter table ops.llm_reservations add column usd_in numeric(14, 6);
