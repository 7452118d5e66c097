-- How a session is made, claimed, written down, parked, woken and closed. Leases are machine time: clock_timestamp().

create or replace function ops.open_session(_id uuid, _kind text, _agent text, _principal uuid, _parent uuid, _task uuid,
                                            _trigger_kind text, _trigger jsonb, _taint text[], _now timestamptz)
    returns void
    language sql security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    insert into ops.sessions (tenant_id, id, kind, agent, principal_id, parent_id, task_id, trigger_kind, trigger, state,
                              taint, created_at, updated_at)
    values (ops.tenant(), _id, _kind, _agent, _principal, _parent, _task, _trigger_kind, _trigger, 'queued', _taint, _now,
            _now);
end;

-- Whether a session rests because whom it acts for is paused. One that was asked to stop does not: it comes to its end.
create or replace function ops.at_rest(_session ops.sessions) returns boolean
    language plpgsql stable
    set search_path = pg_catalog, pg_temp
as $$
begin
    return _session.stop is null
           and exists (select 1 from ops.acts_for(_session.tenant_id, '', _session.id) a where a.holds);
end $$;

-- How urgent a session is, the smaller the more: 0 the founder's own conversation, 1 whoever else waits for an answer live, 2 work
-- of agents and their workers, 3 a conversation that has gone quiet and only looks back at itself.
create or replace function ops.urgency(_session ops.sessions, _now timestamptz) returns integer
    language plpgsql stable
    set search_path = pg_catalog, pg_temp
as $$
begin
    if _session.kind <> 'thread' then
        return 2;
    end if;
    if not exists (select 1 from ops.messages m
                    where m.tenant_id = _session.tenant_id and m.session_id = _session.id and m.step is null
                      and m.state in ('queued', 'delivered'))
       and (select j.kind = 'wait' and (j.payload ->> 'quiet_at')::timestamptz <= _now from ops.journal j
             where j.tenant_id = _session.tenant_id and j.session_id = _session.id
               and not (j.kind = 'note' and j.payload ? 'card')
             order by j.step desc limit 1) then
        return 3;
    end if;
    return case when _session.name like 'thread:founder:%' then 0 else 1 end;
end $$;

-- Take sessions that nobody works on: new or woken ones, and those whose worker fell silent, the most urgent first. `_free` says
-- how many places there are for each urgency: of all places for the first three, of its own for the last. Each comes
-- with a credential of its own for as long as it is held; those of the holder before are ended.
create or replace function ops.claim_sessions(_holder text, _free integer[], _lease interval, _tokens bytea[],
                                              _credentials uuid[], _now timestamptz)
    returns table (tenant_id uuid, id uuid, kind text, agent text, actor text, principal_id uuid, parent_id uuid,
                   task_id uuid, trigger_kind text, trigger jsonb, tries smallint,
                   stop text, taint text[], scopes text[], forked_from uuid, forked_at integer, created_at timestamptz, urgency integer,
                   place integer, step integer)
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    s     record;
    rests boolean := ops.any_held_back(null);
    quiet integer := 0;
begin
    place := 0;
    -- What rests and whose worker fell silent is given back: nobody goes on with it until it is let go.
    if rests then
        update ops.sessions x set state = 'queued', holder = null, lease_until = null, updated_at = _now
         where x.state = 'running' and x.lease_until < clock_timestamp() and ops.at_rest(x);
    end if;
    for s in
        with silent as (
            -- One that takes its workers down with it waits longer each time.
            select x.*, ops.urgency(x, _now) as urgency from ops.sessions x
             where x.state = 'running' and x.lease_until < clock_timestamp() - x.tries * x.tries * interval '5 seconds'
             order by x.lease_until limit _free[1] for update skip locked
        ), talks as (
            select x.*, ops.urgency(x, _now) as urgency from ops.sessions x
             where x.state = 'queued' and x.kind = 'thread' and not (rests and ops.at_rest(x))
             order by urgency, x.created_at, x.id limit _free[1] for update skip locked
        ), works as (
            select x.*, 2 as urgency from ops.sessions x
             where x.state = 'queued' and x.kind <> 'thread' and not (rests and ops.at_rest(x))
             order by x.created_at, x.id limit greatest(_free[3], 0) for update skip locked
        )
        select * from (select * from silent union all select * from talks union all select * from works) found
         order by found.urgency, found.state desc, found.created_at, found.id
    loop
        continue when place >= _free[least(s.urgency, 2) + 1] or s.urgency = 3 and quiet >= _free[4];
        place := place + 1;
        quiet := quiet + (s.urgency = 3)::integer;
        update ops.sessions x
           set state = 'running', holder = _holder, lease_until = clock_timestamp() + _lease, updated_at = _now,
               claimed_step = at.step,
               -- How many workers were lost where it is now. One that came further than the last did so too; who takes up again
               -- what is its own was late, and not lost.
               tries = case when s.state <> 'running' then 0
                            when s.holder = _holder then x.tries
                            when at.step = x.claimed_step then x.tries + 1
                            else 1 end
          from (select coalesce(max(j.step), 0) as step from ops.journal j
                 where j.tenant_id = s.tenant_id and j.session_id = s.id) at
         where x.tenant_id = s.tenant_id and x.id = s.id
        returning x.tries, at.step into tries, step;
        delete from ops.waits w where w.tenant_id = s.tenant_id and w.session_id = s.id;
        update ops.credentials c set revoked_at = _now
         where c.tenant_id = s.tenant_id and c.principal_id = s.principal_id and c.name = 'session ' || s.id
           and c.revoked_at is null;
        -- Whatever else it may do, a session can say how it ended.
        select p.actor, coalesce(s.scopes, p.scopes, '{read,write,effect}') || '{session.close,run.finish,incident.raise}'
          into actor, scopes
          from ops.principals p where p.tenant_id = s.tenant_id and p.id = s.principal_id;
        insert into ops.credentials (tenant_id, id, principal_id, name, token_hash, scopes, created_at)
        values (s.tenant_id, _credentials[place], s.principal_id, 'session ' || s.id, _tokens[place], scopes, _now);
        tenant_id := s.tenant_id; id := s.id; kind := s.kind; agent := s.agent; principal_id := s.principal_id;
        parent_id := s.parent_id; task_id := s.task_id; trigger_kind := s.trigger_kind; trigger := s.trigger;
        stop := s.stop; taint := s.taint; forked_from := s.forked_from;
        forked_at := s.forked_at; created_at := s.created_at; urgency := s.urgency;
        return next;
    end loop;
end $$;

-- Still there: the leases of those sessions of a holder go on that it works on. Says which, which are to stop or to rest, and
-- which of them somebody interrupts.
create or replace function ops.keep_sessions(_holder text, _sessions uuid[], _lease interval)
    returns table (id uuid, stop text)
    language sql security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    update ops.sessions s set lease_until = clock_timestamp() + _lease
     where s.id = any (_sessions) and s.holder = _holder and s.state = 'running' and s.lease_until > clock_timestamp()
    returning s.id, coalesce(s.stop, case when ops.any_held_back(null) and ops.at_rest(s) then 'rest' end,
                             (select 'soft interrupt' from ops.messages m
                               where m.tenant_id = s.tenant_id and m.recipient = 'agent:' || s.agent
                                 and m.state = 'queued' and m.kind = 'interrupt' and not m.hard
                                 and s.kind = 'agent' and s.parent_id is null limit 1));
end;

-- One more step in the journal, by who holds the session. A second worker meets the key and is fenced. Says whether something was
-- said to the session meanwhile: it is asked after every step, and here, in the statement that writes it, that costs next to nothing.
-- The session is found by its key also where that statement was planned while there were few of them.
create or replace function ops.append_step(_tenant uuid, _session uuid, _step integer, _kind text, _action uuid, _payload jsonb,
                                           _holder text, _now timestamptz) returns boolean
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
as $$
declare
    told record;
begin
    if _kind = 'open' then  -- what woke it is before it now
        update ops.messages m set state = 'read', step = _step, read_at = _now
         where m.tenant_id = _tenant and m.session_id = _session and m.step is null and m.state = 'delivered'
           and m.id::text = (select s.trigger ->> 'message' from ops.sessions s where s.tenant_id = _tenant and s.id = _session);
    end if;
    with held as materialized (
        select s.tenant_id, s.id, s.agent, s.kind = 'agent' and s.parent_id is null and s.stop is null as listens
          from ops.sessions s
         where s.tenant_id = _tenant and s.id = _session and s.holder = _holder and s.state = 'running'
    ), written as (
        insert into ops.journal (tenant_id, session_id, step, kind, action_id, payload, holder, created_at)
        select h.tenant_id, h.id, _step, _kind, _action, _payload, _holder, _now from held h
    )
    select m.to_itself, m.to_agent into told
      from held h cross join lateral ops.mail(h.tenant_id, h.id, h.agent, h.listens) m;
    if not found then
        raise exception 'the session is held by another' using errcode = 'HQ001';
    end if;
    if _kind in ('wait', 'close') then
        return false;
    elsif told.to_itself and not told.to_agent then  -- said, but perhaps not its turn yet
        return exists (select 1 from ops.next_messages(_tenant, _session));
    end if;
    return told.to_agent;
end $$;

-- Whether an event about a thing ends a wait for it.
create or replace function ops.ends_wait(_wait ops.waits, _topic text) returns boolean
    language sql immutable
    set search_path = pg_catalog, pg_temp
begin atomic
    select (_wait).topics is null or _topic = any ((_wait).topics);
end;

-- Lay a session down until something it waits for happens, or until a moment. It keeps its lease until `ops.let_go`.
create or replace function ops.park_session(_session uuid, _things text[], _topics text[], _since bigint,
                                            _wake_at timestamptz)
    returns void
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
begin
    insert into ops.waits (tenant_id, session_id, thing, topics, since)
    select ops.tenant(), _session, thing, _topics, coalesce(_since, (select a.chained from ops.announcer a), 0)
      from unnest(_things) thing
    on conflict do nothing;
    update ops.sessions set wake_at = _wake_at where tenant_id = ops.tenant() and id = _session;
end $$;

-- The worker goes; the session waits. Where what it waits for happened meanwhile, it is queued at once.
create or replace function ops.let_go(_session uuid, _holder text, _now timestamptz) returns text
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    ready boolean;
begin
    perform 1 from ops.sessions s
      where s.tenant_id = ops.tenant() and s.id = _session and s.holder = _holder and s.state = 'running' for update;
    if not found then
        raise exception 'the session is held by another' using errcode = 'HQ001';
    end if;
    -- Looked at only once the row is held: who speaks to the session holds it too, and what they said has to be seen.
    select s.wake_at <= _now
           or exists (select 1 from ops.waits w
                       join ops.outbox o on o.tenant_id = w.tenant_id and o.seq > w.since
                      where w.tenant_id = s.tenant_id and w.session_id = s.id
                        and split_part(o.topic, '.', 1) || ':' || (o.payload ->> 'id') = w.thing
                        and ops.ends_wait(w, o.topic))
           or s.kind = 'thread' and exists (select 1 from ops.next_messages(s.tenant_id, s.id))
           or ops.wakes_for_mail(s)
      into ready
      from ops.sessions s where s.tenant_id = ops.tenant() and s.id = _session;
    update ops.sessions
       set state = case when ready then 'queued' else 'waiting' end, holder = null, lease_until = null, updated_at = _now
     where tenant_id = ops.tenant() and id = _session;
    -- What could not be shown while somebody was speaking, or was shown meanwhile, follows what was said.
    perform ops.place_card(c.id, s.name, s.agent, null, null, null, _now)
       from ops.sessions s
       join ops.cards c on c.tenant_id = s.tenant_id
                       and (c.shown_at is null and c.due_at <= _now + interval '20 seconds' or c.session_id = s.id and c.step is null)
      where s.tenant_id = ops.tenant() and s.id = _session and s.kind = 'thread' and s.name = 'thread:founder:' || c.agent
      order by c.created_at, c.id;
    return case when ready then 'queued' else 'waiting' end;
end $$;

-- Give a session back unfinished: the worker is asked to leave.
create or replace function ops.hand_back(_session uuid, _holder text, _now timestamptz) returns void
    language sql security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    update ops.sessions set state = 'queued', holder = null, lease_until = null, updated_at = _now
     where tenant_id = ops.tenant() and id = _session and holder = _holder and state = 'running';
end;

-- Late, and not lost: the worker that somebody took these sessions from is still there, so it was not they that ended it. Says
-- which of them are others' by now.
create or replace function ops.worker_lives(_holder text, _sessions uuid[]) returns table (id uuid)
    language sql security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    update ops.sessions s set tries = greatest(s.tries - 1, 0)
     where s.id = any (_sessions) and s.holder <> _holder and s.state = 'running'
    returning s.id;
end;

create or replace function ops.close_session(_session uuid, _holder text, _state text, _exit smallint, _why text,
                                             _result jsonb, _now timestamptz) returns void
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
as $$
declare
    whose uuid;
begin
    update ops.sessions
       set state = _state, exit_code = _exit, closed_as = _why, result = _result, holder = null, lease_until = null,
           wake_at = null, ended_at = _now, updated_at = _now
     where tenant_id = ops.tenant() and id = _session and (holder = _holder or (_holder is null and holder is null))
       and ops.live(state)
    returning principal_id into whose;
    if not found then
        raise exception 'the session is held by another' using errcode = 'HQ001';
    end if;
    delete from ops.waits where tenant_id = ops.tenant() and session_id = _session;
    update ops.credentials c set revoked_at = _now
     where c.tenant_id = ops.tenant() and c.principal_id = whose and c.name = 'session ' || _session and c.revoked_at is null;
end $$;

-- Ask a session to stop: at its next step where it runs, at once where it does not.
create or replace function ops.stop_session(_session uuid, _why text, _now timestamptz) returns text
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    was text;
begin
    select state into was from ops.sessions where tenant_id = ops.tenant() and id = _session for update;
    if was in ('queued', 'waiting') then
        perform ops.close_session(_session, null, 'stopped', 3::smallint, _why, null, _now);
    elsif was = 'running' then
        update ops.sessions set stop = _why where tenant_id = ops.tenant() and id = _session;
    end if;
    return was;
end $$;

-- Stop a session so that it still hands over: at its next step where it runs, woken for that where it waits. One that
-- nobody began has nothing to hand over and is over at once.
create or replace function ops.halt_session(_session uuid, _why text, _now timestamptz) returns text
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    was text;
begin
    select state into was from ops.sessions where tenant_id = ops.tenant() and id = _session for update;
    if was in ('running', 'waiting') then
        update ops.sessions
           set stop = _why, state = case when was = 'waiting' then 'queued' else state end, wake_at = null, updated_at = _now
         where tenant_id = ops.tenant() and id = _session;
        return was;
    end if;
    return ops.stop_session(_session, _why, _now);
end $$;

-- Wake who waits for a thing, in the transaction in which it happens. Who lies down just then finds its event instead.
create or replace function ops.wake_for(_thing text, _now timestamptz) returns integer
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    many integer;
begin
    update ops.sessions s set state = 'queued', wake_at = null, updated_at = _now
      from ops.waits w
     where w.tenant_id = ops.tenant() and w.thing = _thing and s.tenant_id = w.tenant_id and s.id = w.session_id
       and s.state = 'waiting';
    get diagnostics many = row_count;
    return many;
end $$;

revoke all on function ops.urgency, ops.open_session, ops.claim_sessions, ops.keep_sessions, ops.append_step, ops.ends_wait,
    ops.park_session, ops.let_go, ops.hand_back, ops.worker_lives, ops.close_session, ops.stop_session, ops.at_rest, ops.halt_session,
    ops.wake_for from public;
grant execute on function ops.open_session, ops.claim_sessions, ops.keep_sessions, ops.append_step,
    ops.park_session, ops.let_go, ops.hand_back, ops.worker_lives, ops.close_session, ops.stop_session, ops.halt_session, ops.wake_for to {app};
