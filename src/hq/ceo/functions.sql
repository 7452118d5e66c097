-- The heartbeat's eyes, and what it puts before the founder: cards in a conversation.

-- How far the caller's company has been looked at once what is unheard now is written down. Asked in the statement that
-- writes it down: an event that is settled in between would never be heard.
create or replace function ops.heard_upto(_now timestamptz) returns bigint
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select case when count(u.seq) = 500 then max(u.seq) - 1 else (select a.chained from ops.announcer a) end
      from ops.unheard(ops.tenant(), ops.heard_topics(), _now) u;
end;

-- Companies in which the heart has to beat: something to notice, to finish or to show; or so much happened since that
-- the next look should begin later.
create or replace function ops.beating(_now timestamptz) returns table (tenant_id uuid)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
as $$
    select t.id from ops.tenants t
      join graph.nodes a on a.tenant_id = t.id and a.slug = ops.ceo(t.id) and a.type = 'agent' and a.status in ('active', 'frozen')
     where exists (select 1 from ops.occurrences o where o.tenant_id = t.id and o.handled_at is null
                      and coalesce(o.taken_at <= _now - interval '5 minutes', true))
        or exists (select 1 from ops.cards c where c.tenant_id = t.id and c.shown_at is null and c.due_at <= _now)
        -- As an older hq left them.
        or exists (select 1 from ops.cards c
                    where c.tenant_id = t.id and c.asks and c.ask is null and c.pressed is null and c.shown_at is not null
                      and coalesce(c.expires_at > _now, true)
                      and (c.open_while is null
                           or exists (select 1 from graph.nodes n
                                       where n.tenant_id = t.id and n.id = c.about and n.status = any(c.open_while))))
        or exists (select 1 from ops.notice(t.id, _now))
        or (select count(*) from (select 1 from ops.outbox o
                                   where o.tenant_id = t.id
                                     and o.seq > coalesce((select j.upto from ops.jobs j
                                                            where j.tenant_id = t.id and j.name = 'heartbeat'), 0)
                                   limit 1000) x) = 1000
     order by t.created_at, t.id
$$;

-- What is to be noticed in the caller's company.
create or replace function ops.noticed(_now timestamptz)
    returns table (trigger text, subject text, n integer, severity text, facts jsonb)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select * from ops.notice(ops.tenant(), _now);
end;

-- Whether a card says what came of a mission: somebody waits for that.
create or replace function ops.is_result(_kind text, _about uuid) returns boolean
    language sql stable
    set search_path = pg_catalog, pg_temp
begin atomic
    select _kind = 'report' and exists (select 1 from graph.nodes n
                                         where n.tenant_id = ops.tenant() and n.id = _about and n.type = 'mission');
end;

-- Put a card into the conversation of that name, as the next step of its journal; a conversation that was never begun
-- begins with it. While somebody is speaking there it says no, but of what came of a mission: that is shown at once, as what follows
-- all that is said, and has its step when the speaker is done. What no longer holds is not shown at all.
create or replace function ops.place_card(_card uuid, _name text, _agent text, _principal uuid, _session uuid,
                                          _task uuid, _now timestamptz) returns boolean
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
as $$
declare
    s record;
    at integer;
begin
    update ops.cards c set due_at = null
     where c.tenant_id = ops.tenant() and c.id = _card and c.shown_at is null
       and ops.card_shape(c.id, _now) ->> 'state' = 'over';
    if found then
        return true;
    end if;
    select x.id, x.state into s from ops.sessions x
     where x.tenant_id = ops.tenant() and x.kind = 'thread' and x.name = _name and ops.live(x.state)
     order by x.id desc limit 1 for update;
    if not found then
        insert into ops.sessions (tenant_id, id, kind, agent, principal_id, task_id, trigger_kind, trigger, state, name,
                                  created_at, updated_at)
        values (ops.tenant(), _session, 'thread', _agent, _principal, _task, 'dm', '{}', 'waiting', _name, _now, _now);
        s.id := _session;
    elsif s.state = 'running' then
        update ops.cards c set session_id = s.id, shown_at = _now
         where c.tenant_id = ops.tenant() and c.id = _card and c.shown_at is null and ops.is_result(c.kind, c.about);
        return found;
    end if;
    select coalesce(max(j.step), 0) + 1 into at from ops.journal j where j.tenant_id = ops.tenant() and j.session_id = s.id;
    insert into ops.journal (tenant_id, session_id, step, kind, payload, holder, created_at)
    select c.tenant_id, s.id, at, 'note',
           jsonb_build_object('card', c.id, 'told', concat_ws(E'\n', c.title, nullif(c.body, ''), c.remark ->> 'text'),
                              'taint', c.taint),
           'heartbeat', _now
      from ops.cards c where c.tenant_id = ops.tenant() and c.id = _card;
    update ops.cards c set session_id = s.id, step = at, shown_at = coalesce(c.shown_at, _now)
     where c.tenant_id = ops.tenant() and c.id = _card;
    return true;
end $$;

-- Companies in which something was settled by one of these verbs since the last time that was remembered.
create or replace function ops.with_settled(_verbs text[]) returns table (tenant_id uuid)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select t.id
      from ops.announcer a
      cross join ops.tenants t
      left join ops.jobs d on d.tenant_id = t.id and d.name = 'capture'
     where exists (select 1 from unnest(_verbs) v
                    cross join lateral (select 1 from ops.agent_actions c
                                         where c.tenant_id = t.id and c.action_type = v and c.status = 'ok'
                                           and c.seq > coalesce(d.upto, 0) and c.seq <= a.chained
                                         limit 1) x);
end;

revoke all on function ops.with_settled, ops.heard_upto, ops.beating, ops.noticed, ops.place_card,
    ops.is_result from public;
grant execute on function ops.with_settled, ops.heard_upto, ops.beating, ops.noticed, ops.place_card,
    ops.is_result to {app};
