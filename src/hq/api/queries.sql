-- name: vitals
-- What the database says of itself and of the announcer, in one look that draws no number of its own.
select current_setting('server_version') as server,
       (select coalesce(max(version), 0) from public.hq_schema) as schema,
       greatest(h.drawn - a.chained, 0) as lag,
       a.watermark,
       a.beat_at
  from ops.horizon(9223372036854775807) h, ops.announcer a;

-- name: session_totals
-- Sessions by agent, kind and state.
select agent, kind, state, sessions from ops.session_totals(%(tenant)s::uuid);

-- name: mind_totals
-- What minds were asked, and what that cost.
select agent, model, calls, unpriced, tokens_in, tokens_out, cost_usd from ops.mind_totals(%(tenant)s::uuid);
