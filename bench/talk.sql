-- A conversation that was long before anybody looked: its last exchange, said again and again.

-- name: last_exchange
-- The newest thread of a conversation, and from where to where its last exchange goes.
select s.tenant_id, s.id as session_id, max(j.step) filter (where j.kind = 'wake') as first, max(j.step) as last
  from ops.sessions s join ops.journal j on j.tenant_id = s.tenant_id and j.session_id = s.id
 where s.kind = 'thread' and s.name = %(name)s and s.state = 'waiting'
 group by s.tenant_id, s.id order by s.id desc limit 1;

-- name: say_again
insert into ops.journal (tenant_id, session_id, step, kind, payload, holder, created_at)
select j.tenant_id, j.session_id, j.step + n * (%(last)s - %(first)s + 1) + %(after)s, j.kind, j.payload, j.holder, j.created_at
  from ops.journal j, generate_series(1, %(times)s) n
 where j.tenant_id = %(tenant)s and j.session_id = %(session)s and j.step between %(first)s and %(last)s;

-- name: sum_up
-- As the product does after fifty exchanges: what is before `from` stands in a few words.
insert into ops.journal (tenant_id, session_id, step, kind, payload, holder, created_at)
select tenant_id, session_id, max(step) + 1, 'note',
       jsonb_build_object('summary', '[PREVIOUS CONTEXT]' || chr(10) || 'They talked.', 'from_step', %(from)s::integer), 'bench',
       max(created_at)
  from ops.journal where tenant_id = %(tenant)s and session_id = %(session)s group by tenant_id, session_id;
