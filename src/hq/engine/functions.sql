-- The announcer's work: find the watermark, link the ledger's chain, in order, in batches; and who reads what it told.
-- A plan is kept as long as its connection, and one that was made while the tables were small reads them from end to end
-- when they have grown. So what is simple may use nothing but an index, and the rest is planned anew each time.

-- The newest number drawn; where that is news (beyond `_seen`), a transaction number that whoever drew one is below;
-- and the oldest transaction under way.
create or replace function ops.horizon(_seen bigint) returns table (drawn bigint, upper xid8, lower xid8)
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
begin
    -- Order matters: a call has its transaction's number before ours, and we look at ours before we take the former.
    -- (A snapshot's xmax would not do: it is one past the last number that is over, not that was given out.)
    select case when is_called then last_value else 0 end into drawn from ops.seq;
    if drawn > _seen then
        upper := pg_current_xact_id();
    end if;
    lower := pg_snapshot_xmin(pg_current_snapshot());
    return next;
end $$;

-- Link the calls that settled since last time, at most `_batch`, and move the marks. Says how many were linked, and
-- tells who reads behind it, and who listens for events when there are new ones.
create or replace function ops.announce(_watermark bigint, _batch integer, _now timestamptz) returns integer
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
as $$
declare
    from_  bigint;
    upto   bigint;
    many   integer := 0;
    tenant uuid;
    act    record;
    link   bytea;
    place  bigint;
begin
    select chained into from_ from ops.announcer for update;
    select max(s.seq), count(*) into upto, many
      from (select seq from ops.agent_actions where seq > from_ and seq <= _watermark order by seq limit _batch) s;
    if many < _batch then
        upto := greatest(_watermark, from_);
    end if;
    for tenant in
        select distinct tenant_id from ops.agent_actions where seq > from_ and seq <= upto
    loop
        select chain, position into link, place from ops.ledger
         where tenant_id = tenant order by position desc limit 1;
        for act in select seq, digest from ops.digests(tenant, from_, upto) loop
            place := coalesce(place, 0) + 1;
            link := sha256(coalesce(link, ''::bytea) || act.digest);
            insert into ops.ledger (tenant_id, position, seq, digest, chain)
            values (tenant, place, act.seq, act.digest, link);
        end loop;
    end loop;
    update ops.announcer
       set watermark = greatest(watermark, _watermark), chained = greatest(chained, upto), beat_at = _now;
    if many > 0 then
        perform pg_notify('hq_settled', '');
    end if;
    if exists (select 1 from ops.outbox o where o.seq > from_ and o.seq <= upto) then
        perform pg_notify('hq_events', '');
    end if;
    return many;
end $$;

-- What somebody who passes events on needs to know, in one look: how far they are settled, which tenants have some
-- beyond `_line`, and which of these credentials have ended.
create or replace function ops.look_out(_line bigint, _tenants uuid[], _credentials uuid[], _now timestamptz)
    returns table (line bigint, tenants uuid[], ended uuid[])
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
begin atomic
    select a.chained,
           array(select distinct o.tenant_id from ops.outbox o where o.seq > _line and o.seq <= a.chained),
           array(select w.credential from unnest(_tenants, _credentials) w(tenant, credential)
                  where not exists (select 1 from ops.credentials c
                                     where c.tenant_id = w.tenant and c.id = w.credential and c.revoked_at is null
                                       and (c.expires_at is null or c.expires_at > _now)))
      from ops.announcer a;
end;

-- A tenant's events behind a position, in order. Those whose topic is not wanted come without what they say, so that
-- whoever reads knows how far was looked.
create or replace function ops.events_after(_tenant uuid, _seq bigint, _ordinal smallint, _line bigint, _topics text,
                                            _limit integer)
    returns table (seq bigint, ordinal smallint, topic text, action_id uuid, created_at timestamptz, actor text,
                   taint text[], payload text, principal_id uuid, kind text, target_kind text)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_custom_plan
begin atomic
    select o.seq, o.ordinal, o.topic, o.action_id, o.created_at, a.actor, a.taint,
           case when o.topic ~ _topics then o.payload::text end, a.principal_id, a.kind, a.target_kind
      from (select * from ops.outbox o
             where o.tenant_id = _tenant and (o.seq, o.ordinal) > (_seq, _ordinal) and o.seq <= _line
             order by o.seq, o.ordinal limit _limit) o
      join ops.agent_actions a on a.tenant_id = _tenant and a.seq = o.seq
     order by o.seq, o.ordinal;
end;

revoke all on function ops.horizon, ops.announce, ops.look_out, ops.events_after from public;
grant execute on function ops.horizon, ops.announce, ops.look_out, ops.events_after to {app};
