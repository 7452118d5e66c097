-- Written by `scripts/sql_views.py` from life.py; do not edit.

-- Whether a mission in that state is one of open, given, at_work, in_hand, over.
create or replace function ops.mission_is(_status text, _group text) returns boolean
    language sql immutable
    return case _group
        when 'open' then _status in ('in_progress', 'review', 'assigned', 'planning', 'paused', 'backlog')
        when 'given' then _status in ('in_progress', 'review', 'assigned', 'planning', 'paused')
        when 'at_work' then _status in ('in_progress', 'review', 'assigned', 'planning')
        when 'in_hand' then _status in ('in_progress', 'assigned', 'planning')
        when 'over' then _status in ('done', 'failed', 'taken_back') end;
revoke all on function ops.mission_is from public;
grant execute on function ops.mission_is to {app};
