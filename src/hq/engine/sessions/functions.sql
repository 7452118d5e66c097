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

-- Take up to `_many` sessions that nobody works on: new or woken ones, and those whose worker fell silent. Each comes
-- with a credential of its own for as long as it is held; those of the holder before are ended.
create or replace function ops.claim_sessions(_holder text, _many integer, _lease interval, _tokens bytea[],
                                              _credentials uuid[], _now timestamptz)
    returns table (tenant_id uuid, id uuid, kind text, agent text, actor text, principal_id uuid, parent_id uuid,
                   task_id uuid, trigger_kind text, trigger jsonb, tries smallint,
                   stop text, taint text[], scopes text[], forked_from uuid, forked_at integer, created_at timestamptz, place integer)
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    s record;
begin
    place := 0;
    for s in
        with silent as (
            -- One that takes its workers down with it waits longer each time.
            select x.* from ops.sessions x
             where x.state = 'running' and x.lease_until < clock_timestamp() - x.tries * x.tries * interval '5 seconds'
             order by x.lease_until limit _many for update skip locked
        ), ready as (
            select x.* from ops.sessions x where x.state = 'queued' order by x.created_at, x.id limit _many
               for update skip locked
        )
        select * from silent union all select * from ready limit _many
    loop
        place := place + 1;
        update ops.sessions x
           set state = 'running', holder = _holder, lease_until = clock_timestamp() + _lease, updated_at = _now,
               claimed_step = at.step,
               -- Found without its worker, and no further than the last time.
               tries = case when s.state = 'running' and at.step = x.claimed_step then x.tries + 1 else 0 end
          from (select coalesce(max(j.step), 0) as step from ops.journal j
                 where j.tenant_id = s.tenant_id and j.session_id = s.id) at
         where x.tenant_id = s.tenant_id and x.id = s.id
        returning x.tries into tries;
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
        forked_at := s.forked_at; created_at := s.created_at;
        return next;
    end loop;
end $$;

-- Still there: the leases of those sessions of a holder go on that it works on. Says which, which are to stop, and which
-- of them somebody interrupts.
create or replace function ops.keep_sessions(_holder text, _sessions uuid[], _lease interval)
    returns table (id uuid, stop text)
    language sql security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    update ops.sessions s set lease_until = clock_timestamp() + _lease
     where s.id = any (_sessions) and s.holder = _holder and s.state = 'running' and s.lease_until > clock_timestamp()
    returning s.id, coalesce(s.stop, (select 'soft interrupt' from ops.messages m
                                       where m.tenant_id = s.tenant_id and m.recipient = 'agent:' || s.agent
                                         and m.state = 'queued' and m.kind = 'interrupt' and not m.hard
                                         and s.kind = 'agent' and s.parent_id is null limit 1));
end;

-- One more step in the journal, by who holds the session. A second worker meets the key and is fenced.
create or replace function ops.append_step(_session uuid, _step integer, _kind text, _action uuid, _payload jsonb,
                                           _holder text, _now timestamptz) returns void
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
begin
    insert into ops.journal (tenant_id, session_id, step, kind, action_id, payload, holder, created_at)
    select ops.tenant(), _session, _step, _kind, _action, _payload, _holder, _now
      from ops.sessions s
     where s.tenant_id = ops.tenant() and s.id = _session and s.holder = _holder and s.state = 'running';
    if not found then
        raise exception 'the session is held by another' using errcode = 'HQ001';
    end if;
    if _kind = 'open' then  -- what woke it is before it now
        update ops.messages m set state = 'read', step = _step, read_at = _now
         where m.tenant_id = ops.tenant() and m.session_id = _session and m.step is null and m.state = 'delivered'
           and m.id::text = (select s.trigger ->> 'message' from ops.sessions s
                              where s.tenant_id = ops.tenant() and s.id = _session);
    end if;
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
    select ops.tenant(), _session, thing, _topics, _since from unnest(_things) thing
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
      into ready
      from ops.sessions s where s.tenant_id = ops.tenant() and s.id = _session;
    update ops.sessions
       set state = case when ready then 'queued' else 'waiting' end, holder = null, lease_until = null, updated_at = _now
     where tenant_id = ops.tenant() and id = _session;
    -- What could not be shown while somebody was speaking follows what was said.
    perform ops.place_card(c.id, s.name, s.agent, null, null, null, _now)
       from ops.sessions s
       join ops.cards c on c.tenant_id = s.tenant_id and c.shown_at is null and c.due_at <= _now + interval '20 seconds'
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

create or replace function ops.close_session(_session uuid, _holder text, _state text, _exit smallint, _why text,
                                             _result jsonb, _now timestamptz) returns void
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
begin
    update ops.sessions
       set state = _state, exit_code = _exit, closed_as = _why, result = _result, holder = null, lease_until = null,
           wake_at = null, ended_at = _now, updated_at = _now
     where tenant_id = ops.tenant() and id = _session and (holder = _holder or (_holder is null and holder is null))
       and state in ('running', 'queued', 'waiting');
    if not found then
        raise exception 'the session is held by another' using errcode = 'HQ001';
    end if;
    delete from ops.waits where tenant_id = ops.tenant() and session_id = _session;
    update ops.credentials c set revoked_at = _now
      from ops.sessions s
     where s.tenant_id = ops.tenant() and s.id = _session and c.tenant_id = s.tenant_id
       and c.principal_id = s.principal_id and c.name = 'session ' || s.id and c.revoked_at is null;
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

-- Which of the messages said to a session it may take up now. One that somebody waits for an answer to is taken alone, and
-- only by a thread that has answered what it was asked before: so each gets its own answer, however many come at once.
create or replace function ops.next_messages(_tenant uuid, _session uuid) returns table (id uuid)
    language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    waited_for uuid;
    busy       boolean;
begin
    select m.id into waited_for from ops.messages m
     where m.tenant_id = _tenant and m.session_id = _session and m.step is null and m.state in ('queued', 'delivered')
       and m.run is not null
     order by m.created_at, m.id limit 1;
    busy := waited_for is null or ops.at_work(_tenant, _session)
            or exists (select 1 from ops.messages m
                        where m.tenant_id = _tenant and m.session_id = _session and m.step is null
                          and m.state in ('queued', 'delivered') and m.run is null);
    return query
        select m.id from ops.messages m
         where m.tenant_id = _tenant and m.session_id = _session and m.step is null and m.state in ('queued', 'delivered')
           and case when busy then m.run is null else m.id = waited_for end;
end $$;

-- Whether a thread was asked something that it has not answered: since it last rested it was spoken to, or called something.
create or replace function ops.at_work(_tenant uuid, _session uuid) returns boolean
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select exists (select 1 from ops.journal j
                    where j.tenant_id = s.tenant_id and j.session_id = s.id
                      and (j.kind in ('wake', 'mind', 'verb') or j.kind = 'open' and s.trigger ->> 'text' <> '')
                      and j.step > coalesce((select r.step from ops.journal r
                                              where r.tenant_id = s.tenant_id and r.session_id = s.id and r.kind = 'wait'
                                                and r.payload ? 'rests'
                                              order by r.step desc limit 1), 0))
      from ops.sessions s where s.tenant_id = _tenant and s.id = _session and s.kind = 'thread';
end;

-- Whether something was said that a session may take up now: to itself, or to its agent. A session that is to stop takes
-- nothing more.
create or replace function ops.has_mail(_tenant uuid, _session uuid) returns boolean
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select exists (select 1 from ops.next_messages(s.tenant_id, s.id))
        or s.kind = 'agent' and s.parent_id is null and s.stop is null
           and exists (select 1 from ops.messages m
                        where m.tenant_id = s.tenant_id and m.recipient = 'agent:' || s.agent and m.session_id is null
                          and m.state = 'queued')
      from ops.sessions s where s.tenant_id = _tenant and s.id = _session;
end;

-- Take up what was said to a session or its agent meanwhile, for the step of its journal that the caller writes next.
create or replace function ops.take_messages(_session uuid, _step integer, _now timestamptz)
    returns table (id uuid, kind text, sender text, address text, body text, taint text[], run jsonb, created_at timestamptz)
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    s ops.sessions;
    far integer;
begin
    select * into s from ops.sessions x where x.tenant_id = ops.tenant() and x.id = _session for update;
    select max(m.hops) into far from ops.messages m
     where m.tenant_id = s.tenant_id and m.recipient = 'agent:' || s.agent and m.session_id is null and m.state = 'queued';
    if far > coalesce((s.trigger ->> 'hops')::integer, 0) then
        update ops.sessions x set trigger = x.trigger || jsonb_build_object('hops', far)
         where x.tenant_id = s.tenant_id and x.id = s.id;
    end if;
    return query
    update ops.messages m
       set step = _step, session_id = s.id, state = 'read', read_at = _now, delivered_at = coalesce(m.delivered_at, _now)
     where m.tenant_id = s.tenant_id
       and (m.session_id = s.id and m.id in (select n.id from ops.next_messages(s.tenant_id, s.id) n)
            or m.session_id is null and m.state = 'queued' and m.recipient = 'agent:' || s.agent
               and s.kind = 'agent' and s.parent_id is null and s.stop is null)
    returning m.id, m.kind, m.sender, m.address, m.body, m.taint, m.run, m.created_at;
end $$;

-- Say something to one session. Where it rests it is queued; where it works it takes this up at its next turn. Both look
-- at the same locked row, so nothing is said past it. Says what it was doing, or nothing where it is over.
create or replace function ops.tell_session(_session uuid, _id uuid, _kind text, _actor text, _body text, _taint text[],
                                            _run jsonb, _now timestamptz) returns text
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    s ops.sessions;
begin
    select * into s from ops.sessions x where x.tenant_id = ops.tenant() and x.id = _session for update;
    if s.state is null or s.state not in ('queued', 'running', 'waiting') then
        return null;
    end if;
    insert into ops.messages (tenant_id, id, thread_id, kind, sender, address, recipient, session_id, body, state, taint,
                              run, created_at, delivered_at)
    values (s.tenant_id, _id, _session, _kind, _actor, s.agent, 'agent:' || s.agent, _session, _body, 'delivered', _taint,
            _run, _now, _now);
    if s.kind = 'thread' and s.state = 'waiting' and exists (select 1 from ops.next_messages(s.tenant_id, s.id)) then
        update ops.sessions x set state = 'queued', wake_at = null, updated_at = _now
         where x.tenant_id = s.tenant_id and x.id = s.id;
    end if;
    return s.state;
end $$;

revoke all on function ops.next_messages, ops.at_work, ops.halt_session, ops.wake_for, ops.has_mail, ops.take_messages, ops.tell_session from public;
grant execute on function ops.halt_session, ops.wake_for, ops.has_mail, ops.take_messages, ops.tell_session to {app};

-- Wake whom the settled events concern, and whose moment has come. Says how many sessions became ready to be worked on.
create or replace function ops.route(_now timestamptz) returns integer
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    mark ops.announcer;
    many integer := 0;
    more integer;
begin
    select * into mark from ops.announcer where chained > routed or routed > looked_from for update;
    if found then
        update ops.sessions s set state = 'queued', updated_at = _now
          from ops.outbox o
          join ops.waits w on w.tenant_id = o.tenant_id and w.since < o.seq
                          and w.thing = split_part(o.topic, '.', 1) || ':' || (o.payload ->> 'id')
                          and ops.ends_wait(w, o.topic)
         where o.seq > mark.looked_from and o.seq <= mark.chained and s.tenant_id = w.tenant_id and s.id = w.session_id
           and s.state = 'waiting';
        get diagnostics many = row_count;
        select many + count(*) into many from ops.outbox o
         where o.seq > mark.routed and o.seq <= mark.chained and o.topic = 'session.queued';
        if mark.looked_at < clock_timestamp() - interval '5 seconds' then
            mark.looked_from := mark.routed;
            mark.looked_at := clock_timestamp();
        end if;
        update ops.announcer set routed = mark.chained, looked_from = mark.looked_from, looked_at = mark.looked_at;
    end if;
    update ops.sessions s set state = 'queued', wake_at = null, updated_at = _now
     where s.state = 'waiting' and s.wake_at <= _now;
    get diagnostics more = row_count;
    return many + more;
end $$;

-- When the next session wakes by itself, of all that wait.
create or replace function ops.next_wake() returns timestamptz
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select min(s.wake_at) from ops.sessions s where s.state = 'waiting' and s.wake_at is not null;
end;

-- Whether anybody works on a session: one whose worker falls silent has to be taken over.
create or replace function ops.any_at_work() returns boolean
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select exists (select 1 from ops.sessions s where s.state = 'running');
end;

-- Whether there is anything for a worker to do.
create or replace function ops.work_waits() returns boolean
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select exists (select 1 from ops.sessions where state = 'queued')
        or exists (select 1 from ops.sessions where state = 'running' and lease_until < clock_timestamp());
end;

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

revoke all on function ops.open_session, ops.claim_sessions, ops.keep_sessions, ops.append_step, ops.ends_wait,
    ops.park_session, ops.let_go, ops.hand_back, ops.close_session, ops.stop_session, ops.route, ops.next_wake, ops.any_at_work,
    ops.work_waits, ops.steps from public;
grant execute on function ops.open_session, ops.claim_sessions, ops.keep_sessions, ops.append_step, ops.park_session,
    ops.let_go, ops.hand_back, ops.close_session, ops.stop_session, ops.route, ops.next_wake, ops.any_at_work,
    ops.work_waits, ops.steps to {app};

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

-- What is wrong with sessions and agents, in every company, that nobody was told of yet. No model is asked.
create or replace function ops.watch(_silent interval, _idle interval, _failures integer, _memories integer, _now timestamptz)
    returns table (tenant_id uuid, agent text, session_id uuid, kind text, once text, summary text)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
    with found as (
        select s.tenant_id, s.agent, s.id as session_id, 'heartbeat' as kind, 'heartbeat:' || s.id || ':' || s.holder as once,
               'its worker fell silent and nobody has taken the session over' as summary
          from ops.sessions s
         where s.state = 'running' and s.lease_until < clock_timestamp() - _silent
        union all
        select s.tenant_id, s.agent, s.id, 'activity_timeout', 'activity:' || s.id || ':' || j.step,
               'no step for ' || extract(epoch from _now - j.created_at)::int / 60 || ' minutes while running'
          from ops.sessions s
          cross join lateral (select x.step, x.created_at from ops.journal x
                               where x.tenant_id = s.tenant_id and x.session_id = s.id order by x.step desc limit 1) j
         where s.state = 'running' and s.lease_until >= clock_timestamp() and greatest(j.created_at, s.updated_at) < _now - _idle
        union all
        select s.tenant_id, s.agent, null, 'error_rate',
               'errors:' || s.agent || ':' || to_char(_now at time zone 'UTC', 'YYYY-MM-DD"T"HH24'),
               count(*) filter (where s.state = 'failed') || ' of ' || count(*) || ' sessions failed within an hour'
          from ops.sessions s
         where s.ended_at > _now - interval '1 hour' and s.state in ('done', 'failed')
         group by s.tenant_id, s.agent
        having count(*) filter (where s.state = 'failed') >= _failures
           and count(*) filter (where s.state = 'failed') * 2 >= count(*)
        union all
        select a.tenant_id, a.slug, null, 'memory_pool',
               'memory:' || a.slug || ':' || to_char(_now at time zone 'UTC', 'IYYY-"W"IW'),
               'remembers ' || m.many || ' things; more than ' || _memories || ' are no longer a help'
          from graph.nodes a
          cross join lateral (select count(*) as many from graph.edges e
                                join graph.nodes n on n.tenant_id = e.tenant_id and n.id = e.from_id
                               where e.tenant_id = a.tenant_id and e.to_id = a.id and e.type = 'remembered_by' and e.live
                                 and n.type = 'memory_entry' and n.archived_at is null) m
         where a.type = 'agent' and a.archived_at is null and m.many > _memories
    )
    select f.* from found f
     where not exists (select 1 from graph.nodes n
                        where n.tenant_id = f.tenant_id and n.external_source = 'watchdog' and n.external_id = f.once)
     order by f.tenant_id, f.agent
     limit 100
$$;

revoke all on function ops.watch from public;
grant execute on function ops.watch to {app};

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
