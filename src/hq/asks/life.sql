-- Written by `scripts/sql_views.py` from the types' own words; do not edit.

create or replace view ops.open_asks with (security_invoker = true) as
    select n.tenant_id, n.id, n.type, n.slug, n.status, n.title, n.props, n.taint, n.created_at, n.updated_at,
           coalesce(n.props ->> 'why', n.props ->> 'body', n.props ->> 'context_md', n.props ->> 'context') as says,
           coalesce(n.props ->> 'deadline', n.props ->> 'expires_at')::timestamptz as deadline,
           (n.props ->> 'defer_until')::timestamptz as defer_until, n.valid_to
      from graph.nodes n
     where n.archived_at is null and n.next_change_at is distinct from n.valid_from
       and (n.type, n.status) in (('approval', 'pending'), ('proposal', 'pending'), ('review', 'open'), ('review', 'deferred'), ('escalation', 'open'), ('question', 'open'), ('question', 'escalated'));
revoke all on ops.open_asks from public;

-- Whether an ask of a type waits in a state.
create or replace function ops.ask_waits(_type text, _status text) returns boolean
    language sql immutable
    set search_path = pg_catalog, pg_temp
    return (_type, _status) in (('approval', 'pending'), ('proposal', 'pending'), ('review', 'open'), ('review', 'deferred'), ('escalation', 'open'), ('question', 'open'), ('question', 'escalated'));
revoke all on function ops.ask_waits from public;
grant execute on function ops.ask_waits to {app};
