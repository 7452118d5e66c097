-- Companies with mail to see to: what waits for somebody, questions whose session is over, questions to the founder that are no ask yet, and what has
-- a deadline, then.
create or replace function ops.mail_due(_now timestamptz)
    returns table (tenant_id uuid, at timestamptz)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select m.tenant_id, null::timestamptz from ops.messages m where m.state = 'queued' and (m.kind <> 'fyi' or m.seat is not null)
    union
    select m.tenant_id, case when min(m.deadline) > _now then min(m.deadline) end from ops.messages m
     where m.state in ('queued', 'delivered', 'read') and m.deadline is not null
     group by m.tenant_id
    union
    select m.tenant_id, null from ops.messages m
      join ops.sessions s on s.tenant_id = m.tenant_id and s.id = m.session_id
     where m.kind = 'question' and m.state in ('delivered', 'read')
       and (not ops.live(s.state)
            or s.state = 'waiting' and ops.said_aside(s.tenant_id, s.id, m.step) is not null)
    union
    select m.tenant_id, null from ops.messages m
     where m.recipient = 'founder' and m.kind = 'question' and m.state in ('queued', 'delivered', 'read') and m.sender like 'agent:%'
       and not exists (select 1 from graph.nodes n where n.tenant_id = m.tenant_id and n.external_source = 'message'
                                                     and n.external_id = m.id::text);
end;
revoke all on function ops.mail_due from public;
grant execute on function ops.mail_due to {app};
