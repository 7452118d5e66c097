-- What is said to sessions, and how they take it up.

-- The step at which a thread last rested.
create or replace function ops.last_rest(_tenant uuid, _session uuid) returns integer
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select coalesce((select r.step from ops.journal r
                      where r.tenant_id = _tenant and r.session_id = _session and r.kind = 'wait' and r.payload ? 'rests'
                      order by r.step desc limit 1), 0);
end;

-- Whether a thread was asked something that it has not answered: since it last rested it was spoken to, called something, or
-- heard what a call came to.
create or replace function ops.at_work(_tenant uuid, _session uuid) returns boolean
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select exists (select 1 from ops.journal j
                    where j.tenant_id = s.tenant_id and j.session_id = s.id and j.step > ops.last_rest(s.tenant_id, s.id)
                      and (j.kind in ('wake', 'mind', 'verb') or j.kind = 'open' and s.trigger ->> 'text' <> ''
                           or j.kind = 'note' and j.payload ? 'settled'))
      from ops.sessions s where s.tenant_id = _tenant and s.id = _session and s.kind = 'thread';
end;

-- Whether a thread that is at work works on a run. One that lies and waits for what a call comes to can be spoken to.
create or replace function ops.runs_turn(_tenant uuid, _session uuid) returns boolean
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select exists (select 1 from ops.journal j
                    where j.tenant_id = s.tenant_id and j.session_id = s.id and j.step > ops.last_rest(s.tenant_id, s.id)
                      and (j.payload ? 'runs' or j.kind = 'open' and s.trigger ? 'runs'))
       and not exists (select 1 from ops.journal j
                        where j.tenant_id = s.tenant_id and j.session_id = s.id and j.kind = 'wait' and j.payload ? 'call'
                          and j.step = (select max(l.step) from ops.journal l
                                         where l.tenant_id = s.tenant_id and l.session_id = s.id
                                           and not (l.kind = 'note' and l.payload ? 'card')))
      from ops.sessions s where s.tenant_id = _tenant and s.id = _session and s.kind = 'thread';
end;

-- Which of the messages said to a session it may take up now, in the order in which they were said. One that somebody waits for
-- an answer to (a run) is taken alone, with what the house notes about it, and only by a thread that has answered what it was
-- asked before; and while a run has its turn nothing else is taken up. So each gets its own answer, however they overlap.
-- A word that may be meant for what waits, and to which the house has said so as the last thing there, is nobody else's yet: it is
-- taken up with what is said next.
create or replace function ops.next_messages(_tenant uuid, _session uuid) returns table (id uuid)
    language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    at_work boolean := ops.at_work(_tenant, _session);
begin
    if at_work and ops.runs_turn(_tenant, _session) then
        return;
    end if;
    return query
        with waiting as (
            select m.id, m.run is not null as waited_for,
                   -- What the house notes belongs to what was said before it.
                   count(*) filter (where m.run is not null or m.sender <> 'service:hq') over said as place,
                   count(*) filter (where m.run is not null) over said as runs, m.asks is not null as lists
              from ops.messages m
             where m.tenant_id = _tenant and m.session_id = _session and m.step is null and m.state in ('queued', 'delivered')
            window said as (order by m.created_at, m.id)
        ), last_said as (
            select max(w.place) as place from waiting w having bool_or(w.waited_for) is not true
        )
        select w.id from waiting w
         where not exists (select 1 from last_said l join waiting h on h.place = l.place and h.lists where w.place = l.place and l.place > 0)
           and case when exists (select 1 from waiting f where f.waited_for and f.place = 1)
                    then not at_work and w.place <= 1
                    else w.runs = 0 end;
end $$;

-- Whether something was said to a session itself that it has not taken up, and whether to its agent, where it listens for that.
-- Without rights or settings of its own, so that it is planned with what asks.
create or replace function ops.mail(_tenant uuid, _session uuid, _agent text, _listens boolean)
    returns table (to_itself boolean, to_agent boolean)
    language sql stable
begin atomic
    select exists (select 1 from ops.messages m
                    where m.tenant_id = _tenant and m.session_id = _session and m.step is null and m.state in ('queued', 'delivered')),
           _listens and exists (select 1 from ops.messages m
                                 where m.tenant_id = _tenant and m.recipient = 'agent:' || _agent and m.session_id is null
                                   and m.state = 'queued');
end;

-- Whether something was said that a session may take up now: to itself, or to its agent. A session that is to stop takes
-- nothing more.
create or replace function ops.has_mail(_tenant uuid, _session uuid) returns boolean
    language plpgsql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    told record;
begin
    select m.to_itself, m.to_agent into told
      from ops.sessions s
      cross join lateral ops.mail(s.tenant_id, s.id, s.agent, s.kind = 'agent' and s.parent_id is null and s.stop is null) m
     where s.tenant_id = _tenant and s.id = _session;
    if told.to_itself and not told.to_agent then  -- said, but perhaps not its turn yet
        return exists (select 1 from ops.next_messages(_tenant, _session));
    end if;
    return told.to_agent;
end $$;

-- Whether a session lies down for what a call of it comes to: then it can be spoken to meanwhile. One that waits for a mind, for
-- money or for whom it acts for can not.
create or replace function ops.lies_for_call(_tenant uuid, _session uuid) returns boolean
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select coalesce((select j.kind = 'wait' and (j.payload ? 'call' or j.payload ? 'rests') from ops.journal j
                      where j.tenant_id = _tenant and j.session_id = _session and not (j.kind = 'note' and j.payload ? 'card')
                      order by j.step desc limit 1), false);
end;

-- What a session said last that took something up while a call of it waited, and waits on: a question at that step has its answer.
create or replace function ops.said_aside(_tenant uuid, _session uuid, _step integer) returns text
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select j.payload ->> 'spoken' from (
        select x.step, x.payload from ops.journal x
         where x.tenant_id = _tenant and x.session_id = _session and not (x.kind = 'note' and x.payload ? 'card')
         order by x.step desc limit 1) j
     where j.step > _step and j.payload ? 'spoken';
end;

-- Whether mail lies there that a session of an agent is woken for while it waits for what a call comes to.
create or replace function ops.wakes_for_mail(_session ops.sessions) returns boolean
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select _session.kind = 'agent' and _session.parent_id is null and _session.stop is null
           and exists (select 1 from ops.messages m
                        where m.tenant_id = _session.tenant_id and m.recipient = 'agent:' || _session.agent
                          and m.session_id is null and m.state = 'queued' and m.kind <> 'fyi')
           and ops.lies_for_call(_session.tenant_id, _session.id);
end;

-- The session of an agent, among all, those on missions or those on this one, that takes what is said to it: the one at work, at its next turn; where there is none, one that waits,
-- unless what is said is about another mission. It is woken for it where it lies for what a call comes to; where it waits for a
-- mind or money, it takes it when it goes on. Who lies down looks at the same held row (`ops.let_go`), so nothing is said past it.
create or replace function ops.join_session(_agent text, _mission text, _among text, _now timestamptz)
    returns table (id uuid, woken boolean)
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    s ops.sessions;
begin
    for s in
        select x.* from ops.sessions x
         where x.tenant_id = ops.tenant() and x.agent = _agent and x.kind = 'agent' and x.parent_id is null
           and ops.live(x.state) and (_among = 'all' or x.trigger ? 'mission')
           and (_among <> 'this' or x.trigger ->> 'mission' = _mission)
         order by x.created_at desc for no key update
    loop
        if s.state <> 'waiting' then  -- one at work goes before all that wait
            id := s.id; woken := false;
            exit;
        end if;
        continue when _mission <> s.trigger ->> 'mission';
        if id is null or not woken and ops.lies_for_call(s.tenant_id, s.id) then
            id := s.id; woken := ops.lies_for_call(s.tenant_id, s.id);
        end if;
    end loop;
    if id is null then
        return;
    end if;
    if woken then
        update ops.sessions x set state = 'queued', wake_at = null, updated_at = _now
         where x.tenant_id = ops.tenant() and x.id = join_session.id;
    end if;
    return next;
end $$;

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
    if s.state is null or not ops.live(s.state) then
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

revoke all on function ops.mail, ops.next_messages, ops.last_rest, ops.at_work, ops.runs_turn, ops.has_mail, ops.take_messages, ops.tell_session, ops.lies_for_call,
    ops.wakes_for_mail, ops.join_session, ops.said_aside from public;
grant execute on function ops.lies_for_call, ops.said_aside, ops.join_session, ops.has_mail, ops.take_messages, ops.tell_session to {app};
