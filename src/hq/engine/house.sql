-- What the house has to know of every company to look after each, and the keys it acts with there.

-- The companies of this installation.
create or replace function ops.companies()
    returns table (tenant_id uuid, slug text, time_zone text)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select t.id, t.slug, t.time_zone from ops.tenants t order by t.created_at, t.id;
end;

-- A credential for the house's own hand in a company, `service:hq`. Those that have run out are ended.
create or replace function ops.house_key(_tenant uuid, _id uuid, _token bytea, _now timestamptz, _until timestamptz)
    returns boolean
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    hand uuid;
begin
    select p.id into hand from ops.principals p where p.tenant_id = _tenant and p.actor = 'service:hq';
    if hand is null then
        return false;
    end if;
    update ops.credentials c set revoked_at = _now
     where c.tenant_id = _tenant and c.principal_id = hand and c.revoked_at is null and c.expires_at <= _now;
    insert into ops.credentials (tenant_id, id, principal_id, name, token_hash, scopes, created_at, expires_at)
    values (_tenant, _id, hand, 'the house', _token, '{read,write}', _now, _until);
    return true;
end $$;

-- A credential for an agent that the house acts for; it runs out by itself.
create or replace function ops.agent_key(_tenant uuid, _agent text, _id uuid, _token bytea, _now timestamptz,
                                         _until timestamptz) returns boolean
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    p record;
begin
    select * into p from ops.principals q where q.tenant_id = _tenant and q.actor = 'agent:' || _agent;
    if not found then
        return false;
    end if;
    update ops.credentials c set revoked_at = _now
     where c.tenant_id = _tenant and c.principal_id = p.id and c.name = 'by the house' and c.revoked_at is null
       and c.expires_at <= _now;
    insert into ops.credentials (tenant_id, id, principal_id, name, token_hash, scopes, created_at, expires_at)
    values (_tenant, _id, p.id, 'by the house', _token, coalesce(p.scopes, '{read,write,effect}'), _now, _until);
    return true;
end $$;

revoke all on function ops.companies, ops.house_key, ops.agent_key from public;
grant execute on function ops.companies, ops.house_key, ops.agent_key to {app};
