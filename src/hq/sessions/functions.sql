-- Sessions: how they hang together, and which handoffs are due.

-- Handoffs under way: due as soon as one of its sessions moved so that something is to be done about it, or its time is
-- up. Whether a successor has begun is seen in its journal alone, so that is looked at again soon.
create or replace function ops.handoffs_due(_now timestamptz)
    returns table (tenant_id uuid, item text, at timestamptz)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select h.tenant_id, h.slug,
           case when coalesce(h.due_at <= _now, false) or h.begun or not ops.live(t.state)
                     or h.written is null and (f.id is null or not ops.live(f.state))
                     or h.written is not null and h.to_session is null and h.successor = 'active' then null
                when h.to_session is not null then least(h.due_at, _now + interval '2 seconds')
                else h.due_at end
      from (select n.tenant_id, n.slug, (n.props ->> 'due_at')::timestamptz as due_at, n.props ->> 'current_work' as written,
                   (n.props ->> 'from_session')::uuid as from_session, (n.props ->> 'to_session')::uuid as to_session,
                   exists (select 1 from ops.journal j
                            where j.tenant_id = n.tenant_id and j.session_id = (n.props ->> 'to_session')::uuid) as begun,
                   (select a.status from graph.edges e
                      join graph.nodes a on a.tenant_id = e.tenant_id and a.id = e.to_id
                     where e.tenant_id = n.tenant_id and e.from_id = n.id and e.type = 'handed_over_to' and e.live
                     limit 1) as successor
              from graph.nodes n
             where n.type = 'handoff' and n.status = 'requested' and n.archived_at is null) h
      left join ops.sessions f on f.tenant_id = h.tenant_id and f.id = h.from_session
      left join ops.sessions t on t.tenant_id = h.tenant_id and t.id = h.to_session;
end;

-- The session at the head of a chain of sessions, each started by the one before.
create or replace function ops.head_session(_session uuid) returns uuid
    language sql stable
    set search_path = pg_catalog, pg_temp
begin atomic
    with recursive up as (
        select s.id, s.parent_id, 1 as depth from ops.sessions s where s.tenant_id = ops.tenant() and s.id = _session
        union all
        select p.id, p.parent_id, up.depth + 1 from up
          join ops.sessions p on p.tenant_id = ops.tenant() and p.id = up.parent_id
         where up.depth < 20
    )
    select id from up order by depth desc limit 1;
end;

-- What set a session off in the first place, through all that was spawned by sessions and all they said to one another.
create or replace function ops.set_off_by(_session uuid) returns text
    language sql stable
    set search_path = pg_catalog, pg_temp
begin atomic
    with recursive up as (
        select coalesce(s.parent_id, (s.trigger ->> 'root')::uuid) as before, s.trigger_kind, 1 as depth
          from ops.sessions s where s.tenant_id = ops.tenant() and s.id = _session
        union all
        select coalesce(s.parent_id, (s.trigger ->> 'root')::uuid), s.trigger_kind, up.depth + 1 from up
          join ops.sessions s on s.tenant_id = ops.tenant() and s.id = up.before
         where up.depth < 50
    )
    select trigger_kind from up order by depth desc limit 1;
end;

-- More for a session that nobody has taken up yet: it wakes once, with everything. False where it was taken meanwhile.
create or replace function ops.add_to_session(_session uuid, _events jsonb, _taint text[], _hops integer) returns boolean
    language sql security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    with added as (
        update ops.sessions s
           set trigger = s.trigger || jsonb_build_object(
                   'events', coalesce(s.trigger -> 'events', '[]') || _events,
                   'summary', jsonb_array_length(coalesce(s.trigger -> 'events', '[]') || _events) || ' events',
                   'hops', greatest(coalesce((s.trigger ->> 'hops')::integer, 0), _hops)),
               taint = array(select distinct m from unnest(s.taint || _taint) m order by m)
         where s.tenant_id = ops.tenant() and s.id = _session and s.state = 'queued'
           and not exists (select 1 from ops.journal j where j.tenant_id = s.tenant_id and j.session_id = s.id)
        returning 1
    )
    select exists (select 1 from added);
end;

revoke all on function ops.handoffs_due, ops.head_session, ops.set_off_by, ops.add_to_session from public;
grant execute on function ops.handoffs_due, ops.head_session, ops.set_off_by, ops.add_to_session to {app};
