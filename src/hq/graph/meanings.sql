-- Written by `scripts/sql_views.py` from the types and edges; do not edit.

-- Whether a type or a kind of link is what a room below knows by this word. Without a `search_path` of its own, so that the planner
-- reads it as the name it stands for, and finds the index.
create or replace function graph.means(_type text, _word text) returns boolean
    language sql immutable parallel safe
    return (_type, _word) in (('agent', 'actor'), ('assigned_to', 'does'), ('commanded_by', 'gives'), ('held_by', 'holder'), ('position_assignment', 'holding'), ('parent_mission', 'part'), ('approval', 'permission'), ('embodies', 'plays'), ('continues', 'resumes'), ('from', 'said_by'), ('part_of', 'said_in'), ('position', 'seat'), ('fills', 'seat_of'), ('organisation', 'unit'), ('in_organisation', 'within'), ('mission', 'work'));

-- Whether something of a type is over in a state, and whether whoever has it works on it. Read as the lists they stand for, too.
create or replace function graph.over(_type text, _status text) returns boolean
    language sql immutable parallel safe
    return (_type, _status) in (('agent', 'retired'), ('brief', 'done'), ('brief', 'failed'), ('code_run', 'done'), ('code_run', 'failed'), ('delegation', 'rejected'), ('delegation', 'done'), ('delegation', 'failed'), ('feature', 'done'), ('feature', 'cancelled'), ('mission', 'done'), ('mission', 'failed'), ('mission', 'taken_back'), ('project', 'done'), ('project', 'cancelled'), ('task', 'done'), ('task', 'cancelled'));
create or replace function graph.in_hand(_type text, _status text) returns boolean
    language sql immutable parallel safe
    return (_type, _status) in (('mission', 'in_progress'), ('mission', 'assigned'), ('mission', 'planning'));

revoke all on function graph.means, graph.over, graph.in_hand from public;
grant execute on function graph.means, graph.over, graph.in_hand to {app};
