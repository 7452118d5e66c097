-- What the house has to know of every company's agents to look after them: never a company's own rows beyond that.

-- Companies with events nobody has routed yet, or with events that wait for an agent that may be woken.
create or replace function ops.with_news()
    returns table (tenant_id uuid)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select j.tenant_id
      from ops.jobs j
      cross join ops.announcer a
     where j.name = 'route'
       and (exists (select 1 from ops.outbox o where o.tenant_id = j.tenant_id and o.seq > j.upto and o.seq <= a.chained)
            or exists (select 1 from ops.wakes w where w.tenant_id = j.tenant_id));
end;

revoke all on function ops.with_news from public;
grant execute on function ops.with_news to {app};
