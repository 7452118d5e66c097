-- Let artifacts from before a moment go, with the bytes that nothing else needs. How many there were.
create or replace function ops.expire_artifacts(_before timestamptz) returns integer
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    gone bytea[];
begin
    with old as (
        delete from ops.artifacts where tenant_id = ops.tenant() and created_at < _before returning hash
    )
    select coalesce(array_agg(hash), '{}') into gone from old;
    delete from ops.blobs b
     where b.tenant_id = ops.tenant() and b.hash = any (gone) and not b.held
       and not exists (select 1 from ops.artifacts a where a.tenant_id = b.tenant_id and a.hash = b.hash);
    return cardinality(gone);
end $$;

revoke all on function ops.expire_artifacts from public;
grant execute on function ops.expire_artifacts to {app};
