-- name: vitals
-- What the database says of itself and of the announcer, in one look that draws no number of its own.
select current_setting('server_version') as server,
       (select coalesce(max(version), 0) from public.hq_schema) as schema,
       greatest(h.drawn - a.chained, 0) as lag,
       a.watermark,
       a.beat_at
  from ops.horizon(9223372036854775807) h, ops.announcer a;
