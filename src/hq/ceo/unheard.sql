-- Settled events behind the last look on these topics: 500 at most, the rest is for the next look.
create or replace function ops.unheard(_tenant uuid, _topics text[], _now timestamptz)
    returns table (seq bigint, ordinal smallint, topic text, payload jsonb)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select o.seq, o.ordinal, o.topic, o.payload
      from ops.announcer a, ops.outbox o
     where o.tenant_id = _tenant and o.seq <= a.chained
       and o.seq > coalesce((select j.upto from ops.jobs j where j.tenant_id = _tenant and j.name = 'heartbeat'),
                            (select coalesce(max(x.seq), 0) from ops.outbox x
                              where x.tenant_id = _tenant and x.created_at < _now - interval '1 day'))
       and o.topic = any(_topics)
     order by o.seq, o.ordinal
     limit 500;
end;

revoke all on function ops.unheard from public;
