-- What happened in sessions: their steps, a branch of them, and the words on their way.

-- What happened in a session so far. Where the older part was summed up, that comes instead: the opening, the summary, and
-- what was left behind it. It costs the same however much was summed up.
create or replace function ops.steps(_session uuid)
    returns table (step integer, kind text, action_id uuid, payload jsonb, created_at timestamptz)
    language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp
    -- One long conversation may be most of the table. Its end is wanted, by the key, and nothing else is read.
    set enable_seqscan = off
    set enable_bitmapscan = off
    set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
    t       uuid := ops.tenant();
    summary integer;
    kept    integer;
begin
    select j.step, (j.payload ->> 'from_step')::integer into summary, kept from ops.journal j
     where j.tenant_id = t and j.session_id = _session and j.kind = 'note' and j.payload ? 'from_step'
     order by j.step desc limit 1;
    return query
    select * from (
        (select j.step, j.kind, j.action_id, j.payload, j.created_at from ops.journal j
          where j.tenant_id = t and j.session_id = _session and j.kind = 'open' and j.step < kept
          order by j.step limit 1)
        union all
        select j.step, j.kind, j.action_id, j.payload, j.created_at from ops.journal j
         where j.tenant_id = t and j.session_id = _session and j.step >= coalesce(kept, 0)
    ) s order by s.kind <> 'open', s.step is distinct from summary, s.step;
end $$;

-- The same in a transaction of its own: one trip to the database.
create or replace function ops.steps_alone(_tenant uuid, _session uuid)
    returns table (step integer, kind text, action_id uuid, payload jsonb, created_at timestamptz)
    language plpgsql
    set search_path = pg_catalog, pg_temp
as $$
declare
    tenant text := set_config('hq.tenant', _tenant::text, true);
begin
    return query select s.step, s.kind, s.action_id, s.payload, s.created_at from ops.steps(_session) s;
end $$;

-- What the calls of a session that have not come back wait for, also while it is spoken to and works on something else.
create or replace function ops.awaited(_session uuid) returns setof text
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    with steps as (select s.step, s.kind, s.payload from ops.steps(_session) s)
    select jsonb_array_elements_text(v.payload -> 'waits' -> 'things') from steps v
     where v.kind = 'verb' and v.payload ? 'waits'
       and not exists (select 1 from steps n
                        where n.step > v.step and n.kind = 'note' and n.payload ->> 'settled' = v.payload ->> 'call')
    union all
    -- Those of before the summary it keeps itself; it stands first, whenever it was written.
    select jsonb_array_elements_text(c.waiting -> 'waits' -> 'things')
      from steps s cross join lateral jsonb_array_elements(s.payload -> 'waiting') c(waiting)
     where s.kind = 'note' and s.payload ? 'waiting'
       and not exists (select 1 from steps n where n.kind = 'note' and n.payload ->> 'settled' = c.waiting ->> 'call')
    union all
    select jsonb_array_elements_text(w.payload -> 'for') from steps w
     where w.kind = 'wait' and w.payload ? 'call'
       and not exists (select 1 from steps v
                        where v.step > w.step and v.kind = 'verb' and v.payload ->> 'call' = w.payload ->> 'call');
end;

revoke all on function ops.steps, ops.steps_alone, ops.awaited from public;
grant execute on function ops.steps, ops.steps_alone, ops.awaited to {app};

-- Branch a session: the steps up to `_upto` are copied, the last of them perhaps edited, and it goes on from there.
-- A session that is copied made its calls already; the branch takes their outcomes over and makes only new ones.
create or replace function ops.fork_session(_id uuid, _of uuid, _upto integer, _edited jsonb, _now timestamptz)
    returns void
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
begin
    insert into ops.sessions (tenant_id, id, kind, agent, principal_id, parent_id, task_id, trigger_kind, trigger, state,
                              taint, forked_from, forked_at, created_at, updated_at)
    select tenant_id, _id, kind, agent, principal_id, parent_id, task_id, trigger_kind, trigger, 'queued', taint, _of,
           _upto, _now, _now
      from ops.sessions where tenant_id = ops.tenant() and id = _of;
    insert into ops.journal (tenant_id, session_id, step, kind, action_id, payload, holder, created_at)
    select tenant_id, _id, step, kind, action_id, case when step = _upto and _edited is not null then _edited else payload end,
           'fork', _now
      from ops.journal
     where tenant_id = ops.tenant() and session_id = _of and step <= _upto and kind <> 'close';
end $$;
revoke all on function ops.fork_session from public;
grant execute on function ops.fork_session to {app};

-- What a mind has said so far in a step that is not written down yet, by who holds the session.
create or replace function ops.draft(_session uuid, _step integer, _holder text, _body text) returns void
    language sql security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    insert into ops.drafts (tenant_id, session_id, step, body)
    select s.tenant_id, s.id, _step, _body from ops.sessions s
     where s.tenant_id = ops.tenant() and s.id = _session and s.holder = _holder and s.state = 'running'
    on conflict (tenant_id, session_id) do update set step = excluded.step, body = excluded.body;
end;

revoke all on function ops.draft from public;
grant execute on function ops.draft to {app};

-- How far sessions have come: state, last step, and the words on their way. For whoever passes that on and missed a notice.
create or replace function ops.last_steps(_tenants uuid[], _sessions uuid[])
    returns table (session_id uuid, state text, step integer, draft_step integer, drafted integer)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select s.id, s.state, j.step, d.step, length(d.body)
      from unnest(_tenants, _sessions) w(tenant, session)
      join ops.sessions s on s.tenant_id = w.tenant and s.id = w.session
      left join lateral (select max(x.step) as step from ops.journal x
                          where x.tenant_id = s.tenant_id and x.session_id = s.id) j on true
      left join ops.drafts d on d.tenant_id = s.tenant_id and d.session_id = s.id;
end;

revoke all on function ops.last_steps from public;
grant execute on function ops.last_steps to {app};
