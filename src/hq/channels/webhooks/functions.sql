-- What the courier needs of every tenant, and how it journals a delivery: before it is tried, and after.

-- Whether an endpoint may be sent to: it is active, and its company is not frozen.
create or replace function ops.webhook_open(_tenant uuid, _webhook uuid, _now timestamptz) returns boolean
    language sql stable
    set search_path = pg_catalog, pg_temp
begin atomic
    select exists (select 1 from graph.nodes n
                    where n.tenant_id = _tenant and n.id = _webhook and n.type = 'webhook' and n.status = 'active'
                      and n.archived_at is null)
       and not ops.all_frozen(_tenant, _now);
end;

-- Deliveries somebody asked to repeat, oldest first; also one that was being repeated when a process died, which is
-- behind where the endpoint is and still says that it is being sent. Who serves the endpoint asks before it sends.
create or replace function ops.webhook_again(_tenant uuid, _webhook uuid) returns table (seq bigint, ordinal smallint)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select d.seq, d.ordinal
      from ops.webhook_deliveries d
      join ops.webhooks w on w.tenant_id = d.tenant_id and w.webhook_id = d.webhook_id
     where d.tenant_id = _tenant and d.webhook_id = _webhook
       and (d.status = 'again' or (d.status = 'sending' and (d.seq, d.ordinal) <= (w.seq, w.ordinal)))
     order by d.seq, d.ordinal
     limit 100;
end;

-- Endpoints that may have something to be sent now.
create or replace function ops.webhooks_due(_now timestamptz)
    returns table (tenant_id uuid, webhook_id uuid, slug text, props jsonb, seq bigint, ordinal smallint, last text,
                   line bigint)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select w.tenant_id, w.webhook_id, n.slug, n.props, w.seq, w.ordinal, w.last, a.chained
      from ops.webhooks w
      join graph.nodes n on n.tenant_id = w.tenant_id and n.id = w.webhook_id
      cross join ops.announcer a
     where ops.webhook_open(w.tenant_id, w.webhook_id, _now)
       and ((w.seq < a.chained and (w.next_try_at is null or w.next_try_at <= _now))
            or exists (select 1 from ops.webhook_again(w.tenant_id, w.webhook_id)));
end;

-- A delivery is about to be tried. Says for the how-manieth time, or nothing where it must not be.
create or replace function ops.webhook_begin(_tenant uuid, _webhook uuid, _seq bigint, _ordinal smallint, _topic text,
                                             _now timestamptz) returns integer
    language sql security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    insert into ops.webhook_deliveries as d (tenant_id, webhook_id, seq, ordinal, topic, status, attempts, tried_at)
    select _tenant, _webhook, _seq, _ordinal, _topic, 'sending', 1, _now
     where ops.webhook_open(_tenant, _webhook, _now)
    on conflict (tenant_id, webhook_id, seq, ordinal) do update
       set status = 'sending', attempts = d.attempts + 1, tried_at = _now, error = null, response_status = null
    returning attempts;
end;

-- What became of it. `delivered` and `dead` are done with, so the endpoint goes on to the next event; after `failed`
-- it waits until `_next`. Says when an endpoint starts to fail, and when it is well again.
create or replace function ops.webhook_end(_tenant uuid, _webhook uuid, _seq bigint, _ordinal smallint, _status text,
                                           _response integer, _error text, _duration real, _next timestamptz,
                                           _now timestamptz)
    returns table (turned text, failing_since timestamptz)
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    w ops.webhooks;
begin
    update ops.webhook_deliveries
       set status = _status, response_status = _response, error = _error, duration_ms = _duration
     where tenant_id = _tenant and webhook_id = _webhook and seq = _seq and ordinal = _ordinal;
    select * into w from ops.webhooks where tenant_id = _tenant and webhook_id = _webhook for update;
    if not found then
        return;
    end if;
    turned := case when _status = 'delivered' and w.failing_since is not null then 'recovered'
                   when _status <> 'delivered' and w.failing_since is null then 'failing' end;
    failing_since := case when _status <> 'delivered' then coalesce(w.failing_since, _now) end;
    update ops.webhooks
       set seq = case when done.next then _seq else seq end,
           ordinal = case when done.next then _ordinal else ordinal end,
           last = case when done.next then _seq || '.' || _ordinal else last end,
           next_try_at = case when _status = 'failed' then _next
                              when done.next or _status = 'delivered' then null else next_try_at end,
           failing_since = webhook_end.failing_since
      from (select _status <> 'failed' and (_seq, _ordinal) > (w.seq, w.ordinal) as next) done
     where tenant_id = _tenant and webhook_id = _webhook;
    return next;
end $$;

-- Nothing up to here was wanted.
create or replace function ops.webhook_skip(_tenant uuid, _webhook uuid, _seq bigint, _ordinal smallint) returns void
    language sql security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    update ops.webhooks set seq = _seq, ordinal = _ordinal
     where tenant_id = _tenant and webhook_id = _webhook and (seq, ordinal) < (_seq, _ordinal);
end;

create or replace function ops.any_webhook() returns boolean
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select exists (select 1 from ops.webhooks);
end;

revoke all on function ops.any_webhook, ops.webhook_open, ops.webhooks_due, ops.webhook_again, ops.webhook_begin, ops.webhook_end,
    ops.webhook_skip from public;
grant execute on function ops.any_webhook, ops.webhooks_due, ops.webhook_again, ops.webhook_begin, ops.webhook_end, ops.webhook_skip
    to {app};
