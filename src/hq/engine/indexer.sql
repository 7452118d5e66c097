-- What the search index has not seen yet: items that changed in calls that have settled.

-- Which items changed in the calls behind `_from`, up to the announcer's watermark, at most `_batch` calls. Names
-- items, never what they say: that is read as their tenant.
create or replace function graph.to_index(_batch integer)
    returns table (tenant_id uuid, items uuid[], from_seq bigint, upto_seq bigint)
    language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp
    -- A plan made while there is little would be kept, and read everything when there is much.
    set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
    mark bigint;
    last bigint;
begin
    select indexed into mark from graph.indexer;
    select max(s.seq) into last
      from (select a.seq from ops.agent_actions a
             where a.seq > mark and a.seq <= (select watermark from ops.announcer)
             order by a.seq limit _batch) s;
    if last is null then
        return;
    end if;
    return query
        select a.tenant_id, array_agg(distinct case when v.kind = 'node' then v.item_id else v.from_id end), mark, last
          from ops.agent_actions a
          left join graph.versions v on v.tenant_id = a.tenant_id and v.seq = a.seq and a.kind <> 'read'
         where a.seq > mark and a.seq <= last
         group by a.tenant_id;
end $$;

create or replace function graph.indexed(_upto bigint) returns void
    language sql security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    update graph.indexer set indexed = greatest(indexed, _upto);
end;

revoke all on function graph.to_index, graph.indexed from public;
grant execute on function graph.to_index, graph.indexed to {app};
