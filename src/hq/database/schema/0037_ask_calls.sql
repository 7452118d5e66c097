-- The call that an answer set going, under the key it is made with: whether one was lost is asked of every kind of ask alike.
create table ops.ask_calls (
    tenant_id   uuid not null references ops.tenants,
    ask         uuid not null,
    key         text not null,
    -- How the ask stood with that answer; one that stands otherwise now has moved on.
    status      text not null,
    answered_at timestamptz not null,
    primary key (tenant_id, ask)
);
alter table ops.ask_calls enable row level security;
create policy tenant on ops.ask_calls using (tenant_id = ops.tenant()) with check (tenant_id = ops.tenant());
grant select, insert, update, delete on ops.ask_calls to {app};

-- Those of answers that were given before.
insert into ops.ask_calls (tenant_id, ask, key, status, answered_at)
select n.tenant_id, n.id,
       case n.type when 'question' then 'card:' || n.external_id || ':' || (n.props ->> 'choice') else n.type || ':' || n.id end,
       n.status, coalesce(n.props ->> 'decided_at', n.props ->> 'answered_at')::timestamptz
  from graph.nodes n
 where n.archived_at is null and coalesce(n.props ->> 'decided_at', n.props ->> 'answered_at') is not null
   and ((n.type, n.status) = ('approval', 'approved')
        or (n.type, n.status) = ('proposal', 'accepted') and n.props -> 'change' ? 'verb'
        or (n.type, n.status) = ('question', 'answered') and n.external_id is not null
           and n.updated_at > (select max(x.updated_at) - interval '1 day' from graph.nodes x where x.tenant_id = n.tenant_id)
           and exists (select 1 from jsonb_array_elements(n.props -> 'options') c
                        where c ->> 'key' = n.props ->> 'choice' and c ->> 'verb' <> 'chat.say'));
