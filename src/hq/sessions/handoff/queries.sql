-- name: handing
-- The sessions of an agent that could hand off, most alive first.
select s.id, s.state, s.trigger_kind, s.trigger from ops.sessions s
 where s.tenant_id = ops.tenant() and s.agent = %(agent)s and s.kind = 'agent' and s.parent_id is null
   and ops.live(s.state) and s.stop is null and (%(id)s::uuid is null or s.id = %(id)s)
   and exists (select 1 from ops.journal j where j.tenant_id = s.tenant_id and j.session_id = s.id)
 order by s.state <> 'running', s.state <> 'waiting', s.created_at desc;

-- name: fullness
-- How full the context of sessions has been at most, each as a share of its window.
select j.session_id,
       max((j.payload ->> 'tokens_in')::numeric + (j.payload ->> 'tokens_out')::numeric)
         / nullif(max((o.payload #>> '{config,context_window}')::numeric), 0) as share
  from ops.journal j
  join ops.journal o on o.tenant_id = j.tenant_id and o.session_id = j.session_id and o.step = 1
 where j.tenant_id = ops.tenant() and j.session_id = any(%(ids)s) and j.kind = 'mind'
 group by j.session_id;

-- name: one_at_a_time
-- Two handoffs of the same session wait for each other here.
select pg_advisory_xact_lock(hashtextextended('handoff:' || %(session)s, 0));

-- name: open_of
-- The handoff that a session is in the middle of.
select id, slug from graph.nodes
 where tenant_id = ops.tenant() and type = 'handoff' and status = 'requested' and archived_at is null
   and props ->> 'from_session' = %(session)s;

-- name: tell
-- Ask a session for its document, at its next turn.
insert into ops.messages (tenant_id, id, thread_id, kind, sender, sender_session, address, recipient, session_id, body,
                          state, taint, created_at, delivered_at)
values (ops.tenant(), %(id)s, %(id)s, 'command', %(sender)s, %(sender_session)s, 'handoff:' || %(handoff)s,
        'agent:' || %(agent)s, %(session)s, %(body)s, 'delivered', %(taint)s, %(now)s, %(now)s);

-- name: standing
-- How the sessions of a handoff stand.
select f.state as from_state, f.closed_as, f.result ->> 'text' as said, f.trigger_kind, f.trigger, f.agent,
       t.state as to_state,
       exists (select 1 from ops.journal j where j.tenant_id = ops.tenant() and j.session_id = t.id) as begun,
       (select n.props ->> 'snapshot_md' from graph.nodes n where n.tenant_id = ops.tenant() and n.id = f.id) as memo
  from ops.sessions f
  left join ops.sessions t on t.tenant_id = f.tenant_id and t.id = %(to)s
 where f.tenant_id = ops.tenant() and f.id = %(from)s;
