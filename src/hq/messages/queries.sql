-- name: place
-- Where an agent is in the company: its kind, its seat, the organisation of that seat or, without one, its own.
select a.id, a.slug, a.status, a.props ->> 'kind' as kind, s.position as seat,
       coalesce(s.organisation, h.to_id) as organisation
  from graph.nodes a
  left join lateral (select x.position, x.organisation from ops.seats x
                      where x.tenant_id = a.tenant_id and x.agent = a.id order by x.number desc limit 1) s on true
  left join graph.edges h on h.tenant_id = a.tenant_id and h.from_id = a.id and h.type = 'in_organisation' and h.live
 where a.tenant_id = ops.tenant() and a.type = 'agent' and a.slug = %(agent)s and a.archived_at is null;

-- name: seats
-- Seats by id, name or role, each with who works there; who may work now and has least to do comes first.
select p.id, p.title, p.number, r.title as role, i.to_id as organisation, a.slug as agent, a.status
  from graph.nodes p
  join graph.edges i on i.tenant_id = p.tenant_id and i.from_id = p.id and i.type = 'in_organisation' and i.live
  left join graph.edges h on h.tenant_id = p.tenant_id and h.from_id = p.id and h.type = 'has_role' and h.live
  left join graph.nodes r on r.tenant_id = p.tenant_id and r.id = h.to_id
  left join lateral (
      select x.agent_slug as slug, x.agent_status as status,
             (select count(*) from ops.sessions s where s.tenant_id = p.tenant_id and s.agent = x.agent_slug
                 and s.kind = 'agent' and ops.busy(s.state)) as busy
        from ops.seats x
       where x.tenant_id = p.tenant_id and x.position = p.id and x.agent is not null
       order by x.agent_status <> 'active', x.agent_since desc limit 1) a on true
 where p.tenant_id = ops.tenant() and p.type = 'position' and p.archived_at is null
   and (%(ids)s::uuid[] is null or p.id = any(%(ids)s))
   and (%(name)s::text is null or lower(p.title) = lower(%(name)s) or p.slug = %(name)s or p.number::text = %(name)s)
   and (%(role)s::text is null or lower(r.title) = lower(%(role)s))
   and (%(organisation)s::uuid is null or i.to_id = %(organisation)s)
   and (%(under)s::uuid is null or exists (select 1 from graph.edges u where u.tenant_id = p.tenant_id and u.from_id = p.id
                                              and u.type = 'reports_to' and u.to_id = %(under)s and u.live))
 order by a.status is distinct from 'active', a.busy, p.number;

-- name: line
-- The seats above one, nearest first, along one kind of line.
with recursive up as (
    select e.to_id as id, 1 as depth from graph.edges e
     where e.tenant_id = ops.tenant() and e.from_id = %(seat)s and e.type = %(line)s and e.live
    union all
    select e.to_id, up.depth + 1 from up
      join graph.edges e on e.tenant_id = ops.tenant() and e.from_id = up.id and e.type = %(line)s and e.live
     where up.depth < 50
)
select id from up order by depth;

-- name: personas
-- A persona's agents, and the seat it was given last.
select p.slug, a.slug as agent, s.position as seat
  from graph.nodes p
  left join graph.edges e on e.tenant_id = p.tenant_id and e.to_id = p.id and e.type = 'embodies' and e.live
  left join graph.nodes a on a.tenant_id = p.tenant_id and a.id = e.from_id and a.type = 'agent' and a.archived_at is null
   and not graph.over(a.type, a.status)
  left join lateral (select x.position from ops.seats x
                      where x.tenant_id = p.tenant_id and x.persona = p.id order by x.number desc limit 1) s on true
 where p.tenant_id = ops.tenant() and p.type = 'persona' and p.slug = %(persona)s and p.archived_at is null
 order by a.status is distinct from 'active', a.created_at desc;

-- name: agents
-- The agents that work here, with where each is.
select a.slug, a.title, a.status, a.props, o.id as organisation, o.slug as organisation_slug, s.position as seat,
       p.title as seat_title
  from graph.nodes a
  left join lateral (select x.position, x.organisation from ops.seats x
                      where x.tenant_id = a.tenant_id and x.agent = a.id order by x.number desc limit 1) s on true
  left join graph.nodes p on p.tenant_id = a.tenant_id and p.id = s.position
  left join graph.edges h on h.tenant_id = a.tenant_id and h.from_id = a.id and h.type = 'in_organisation' and h.live
  left join graph.nodes o on o.tenant_id = a.tenant_id and o.id = coalesce(s.organisation, h.to_id)
 where a.tenant_id = ops.tenant() and a.type = 'agent' and a.archived_at is null and not graph.over(a.type, a.status)
   and (%(agent)s::text is null or a.slug = %(agent)s)
 order by a.slug;

-- name: granted
-- Whether somebody may write to another organisation, or to this agent in it.
select 1 from graph.nodes g
 where g.tenant_id = ops.tenant() and g.type = 'grant' and g.status = 'active' and g.archived_at is null
   and g.props ->> 'actor' = %(actor)s and g.props ->> 'verb' in ('agent.send', 'agent.*')
   and (g.props ->> 'expires_at' is null or (g.props ->> 'expires_at')::timestamptz > %(now)s)
   and coalesce(g.props ->> 'scope', %(agent)s) in (%(agent)s, (select o.slug from graph.nodes o
                                                               where o.tenant_id = ops.tenant() and o.id = %(organisation)s))
 limit 1;

-- name: begun
-- Sessions of an agent that have something to hand over.
select s.id from ops.sessions s
 where s.tenant_id = ops.tenant() and s.agent = %(agent)s and s.kind = 'agent' and s.parent_id is null
   and s.state in ('running', 'waiting')
 order by s.created_at desc;

-- name: join
-- The session of an agent that takes what is said to it, woken where it lies down for what a call comes to.
select id, woken from ops.join_session(%(agent)s, %(mission)s, %(among)s, %(now)s);

-- name: halt
-- Stop a session so that it hands over first.
select ops.halt_session(%(id)s, %(why)s, %(now)s) as was;

-- name: post
-- A message.
insert into ops.messages (tenant_id, id, thread_id, reply_to, kind, sender, sender_session, address, recipient, seat,
                          session_id, step, body, hard, state, deadline, patience, hops, root, taint, created_at,
                          delivered_at, read_at)
values (ops.tenant(), %(id)s, %(thread)s, %(reply_to)s, %(kind)s, %(sender)s, %(sender_session)s, %(address)s,
        %(recipient)s, %(seat)s, %(session)s, %(step)s, %(body)s, %(hard)s, %(state)s, %(deadline)s, %(patience)s, %(hops)s,
        %(root)s, %(taint)s, %(now)s, case when %(state)s <> 'queued' then %(now)s::timestamptz end,
        case when %(state)s = 'read' then %(now)s::timestamptz end);

-- name: message
-- One message.
select m.*, s.state as session_state, coalesce(s.result ->> 'text', a.said) as session_text, s.closed_as,
       a.said is not null as aside, s.trigger ->> 'message' = m.id::text as woke, w.state as asker
  from ops.messages m
  left join ops.sessions s on s.tenant_id = m.tenant_id and s.id = m.session_id
  left join lateral (select ops.said_aside(s.tenant_id, s.id, m.step) as said where s.state = 'waiting') a on true
  left join ops.sessions w on w.tenant_id = m.tenant_id and w.id = m.sender_session
 where m.tenant_id = ops.tenant() and m.id = %(id)s;

-- name: lock_message
-- One message, for whoever goes on with it.
select state from ops.messages where tenant_id = ops.tenant() and id = %(id)s for update;

-- name: move
-- Where a message is on its way.
update ops.messages
   set state = %(state)s, recipient = %(recipient)s, seat = %(seat)s, session_id = %(session)s, step = %(step)s,
       deadline = %(deadline)s,
       delivered_at = case when %(state)s = 'delivered' then %(now)s else delivered_at end,
       read_at = case when %(state)s = 'read' then coalesce(read_at, %(now)s) else read_at end,
       answered_at = case when %(state)s = 'answered' then %(now)s else answered_at end
 where tenant_id = ops.tenant() and id = %(id)s;

-- name: no_deadline
-- It may take the time it takes.
update ops.messages set deadline = null where tenant_id = ops.tenant() and id = %(id)s;

-- name: wake_for
-- Who waits for it goes on.
select ops.wake_for(%(thing)s, %(now)s) as woken;

-- name: answer
-- The answer to a question.
select id, sender, body, taint, state from ops.messages
 where tenant_id = ops.tenant() and reply_to = %(id)s order by created_at, id limit 1;

-- name: seen
-- Its reader has it before them.
update ops.messages set state = 'read', read_at = %(now)s
 where tenant_id = ops.tenant() and id = any(%(ids)s) and state in ('queued', 'delivered');

-- name: inbox
-- Messages, newest first, as they stand or as they stood then.
select m.id, m.thread_id, m.kind, m.sender, m.address, m.recipient, s.state, m.body, m.taint, m.deadline, m.created_at
  from ops.messages m
  cross join lateral (select case when %(then)s::timestamptz is null then m.state
                                  when m.answered_at <= %(then)s then 'answered'
                                  when m.state = 'expired' and m.deadline <= %(then)s then 'expired'
                                  when m.read_at <= %(then)s then 'read'
                                  when m.delivered_at <= %(then)s then 'delivered'
                                  else 'queued' end as state) s
 where m.tenant_id = ops.tenant()
   and (%(recipient)s::text is null or m.recipient = %(recipient)s)
   and (%(sender)s::text is null or m.sender = %(sender)s)
   and (not %(unread)s or s.state in ('queued', 'delivered'))
   and (%(then)s::timestamptz is null or m.created_at <= %(then)s)
   and (%(kind)s::text is null or m.kind = %(kind)s)
   and (%(before)s::uuid is null
        or (m.created_at, m.id) < (select b.created_at, b.id from ops.messages b
                                    where b.tenant_id = ops.tenant() and b.id = %(before)s))
 order by m.created_at desc, m.id desc
 limit %(limit)s;

-- name: conversation
-- All that was said in one conversation, in order.
select m.id, m.reply_to, m.kind, m.sender, m.address, m.recipient, m.state, m.body, m.taint, m.session_id, m.created_at,
       m.delivered_at, m.read_at, m.answered_at
  from ops.messages m
 where m.tenant_id = ops.tenant() and m.thread_id = %(thread)s
 order by m.created_at, m.id
 limit %(limit)s;

-- name: present
-- What the sessions say of the agents' presence.
select s.agent, count(*) filter (where s.state = 'running' and s.lease_until > clock_timestamp()) as running,
       max(s.ended_at) as ended_at, max(s.updated_at) as seen_at
  from ops.sessions s
 where s.tenant_id = ops.tenant() and s.kind = 'agent' and (%(agent)s::text is null or s.agent = %(agent)s)
   and (ops.live(s.state) or s.ended_at > %(since)s)
 group by s.agent;

-- name: unread
-- How much each has not read.
select recipient, count(*) as many from ops.messages
 where tenant_id = ops.tenant() and state in ('queued', 'delivered') group by recipient;

-- name: seated
-- Mail for a seat in which somebody sits by now.
select m.id as message, a.slug as agent
  from ops.messages m
  cross join lateral (
      select x.agent_slug as slug from ops.seats x
       where x.tenant_id = m.tenant_id and x.position = m.seat and x.agent_status = 'active'
       order by x.agent_since desc limit 1) a
 where m.tenant_id = ops.tenant() and m.state = 'queued'
   and (m.recipient is null
        or m.recipient <> 'agent:' || a.slug
           and not exists (select 1 from graph.nodes o where o.tenant_id = m.tenant_id and o.type = 'agent'
                              and 'agent:' || o.slug = m.recipient and o.archived_at is null and not graph.over(o.type, o.status)))
 order by m.created_at, m.id limit 200;

-- name: waiting_agents
-- Agents that may work, have mail that is worth waking for, and no session that will take it by itself.
select distinct null::uuid as message, n.slug as agent
  from ops.messages m
  join graph.nodes n on n.tenant_id = m.tenant_id and 'agent:' || n.slug = m.recipient and n.type = 'agent'
   and n.status = 'active' and n.archived_at is null
 where m.tenant_id = ops.tenant() and m.state = 'queued' and m.kind <> 'fyi' and m.session_id is null
   and not exists (select 1 from ops.sessions s
                    where s.tenant_id = m.tenant_id and s.agent = n.slug and s.kind = 'agent' and s.parent_id is null
                      and ops.live(s.state) and not (s.state = 'waiting' and ops.lies_for_call(s.tenant_id, s.id)));

-- name: oldest
-- The mail of an agent that it is woken with, urgent first.
select id from ops.messages
 where tenant_id = ops.tenant() and recipient = %(recipient)s and state = 'queued' and kind <> 'fyi' and session_id is null
 order by kind <> 'interrupt', created_at, id limit 1;

-- name: overdue
-- Mail whose time is up.
select id as message, null::text as agent from ops.messages
 where tenant_id = ops.tenant() and state in ('queued', 'delivered', 'read') and deadline <= %(now)s
 order by deadline, id limit 200;

-- name: left_open
-- Questions whose session is over, or has taken them up and waits on, without a word to them.
select m.id as message, null::text as agent
  from ops.messages m
  join ops.sessions s on s.tenant_id = m.tenant_id and s.id = m.session_id
 where m.tenant_id = ops.tenant() and m.kind = 'question' and m.state in ('delivered', 'read')
   and (not ops.live(s.state)
        or s.state = 'waiting' and ops.said_aside(s.tenant_id, s.id, m.step) is not null)
 order by m.created_at, m.id limit 200;

-- name: unasked
-- Questions to the founder that are no ask yet.
select m.id as message, null::text as agent from ops.messages m
 where m.tenant_id = ops.tenant() and m.kind = 'question' and m.recipient = 'founder' and m.sender like 'agent:%%'
   and m.state in ('queued', 'delivered', 'read')
   and not exists (select 1 from graph.nodes n
                    where n.tenant_id = m.tenant_id and n.external_source = 'message' and n.external_id = m.id::text)
 order by m.created_at, m.id limit 200;
