-- Written by `scripts/sql_views.py` from life.py; do not edit.

-- Whether a session in that state is not over; and whether somebody works on it or is about to. Without a `search_path` of their own,
-- so that the planner reads them as the lists they stand for, and uses its indexes.
create or replace function ops.live(_state text) returns boolean
    language sql immutable
    return _state in ('queued', 'running', 'waiting');
create or replace function ops.busy(_state text) returns boolean
    language sql immutable
    return _state in ('queued', 'running');
revoke all on function ops.live, ops.busy from public;
grant execute on function ops.live, ops.busy to {app};
