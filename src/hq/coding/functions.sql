-- Coding runs that somebody has to carry on: answered, or under way with nobody knowing whether their process still lives. Over
-- all companies, the oldest first.
create or replace function ops.code_due()
    returns table (tenant_id uuid, id uuid, slug text, what text, requester text, session text, workspace uuid)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select r.tenant_id, r.id, r.slug, r.status, r.props ->> 'requester', r.props ->> 'session', e.to_id
      from graph.nodes r
      join graph.edges e on e.tenant_id = r.tenant_id and e.from_id = r.id and e.type = 'in_workspace' and e.live
     where r.type = 'code_run' and r.archived_at is null and r.status in ('answered', 'running')
     order by r.updated_at
     limit 100;
end;

-- A credential for an agent whose coding run goes on without it: what it did before, it does now. Never a person's.
create or replace function ops.code_key(_run uuid, _tenant uuid, _actor text, _id uuid, _token bytea, _now timestamptz,
                                        _until timestamptz)
    returns boolean
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    p ops.principals;
begin
    select * into p from ops.principals q
     where q.tenant_id = _tenant and q.actor = split_part(_actor, '/', 1) and q.kind in ('agent', 'worker');
    if not found then
        return false;
    end if;
    update ops.credentials c set revoked_at = _now
     where c.tenant_id = _tenant and c.principal_id = p.id and c.name = 'code ' || _run and c.revoked_at is null;
    insert into ops.credentials (tenant_id, id, principal_id, name, token_hash, scopes, created_at, expires_at)
    values (_tenant, _id, p.id, 'code ' || _run, _token, coalesce(p.scopes, '{read,write,effect}'), _now, _until);
    return true;
end $$;

revoke all on function ops.code_due, ops.code_key from public;
grant execute on function ops.code_due, ops.code_key to {app};
