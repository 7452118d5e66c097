-- Companies in which the post has something to do: mail nobody took, a time that is up, a question left open, one to the founder that is no ask yet.
create or replace function ops.with_mail(_now timestamptz)
    returns table (tenant_id uuid)
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
begin atomic
    select m.tenant_id from ops.messages m where m.state = 'queued' and (m.kind <> 'fyi' or m.seat is not null)
    union
    select m.tenant_id from ops.messages m
     where m.state in ('queued', 'delivered', 'read') and m.deadline is not null and m.deadline <= _now
    union
    select m.tenant_id from ops.messages m
      join ops.sessions s on s.tenant_id = m.tenant_id and s.id = m.session_id
     where m.kind = 'question' and m.state in ('delivered', 'read') and s.state in ('done', 'failed', 'stopped')
    union
    select m.tenant_id from ops.messages m
     where m.recipient = 'founder' and m.kind = 'question' and m.state in ('queued', 'delivered', 'read') and m.sender like 'agent:%'
       and not exists (select 1 from graph.nodes n where n.tenant_id = m.tenant_id and n.external_source = 'message'
                                                     and n.external_id = m.id::text);
end;
revoke all on function ops.with_mail from public;
grant execute on function ops.with_mail to {app};
