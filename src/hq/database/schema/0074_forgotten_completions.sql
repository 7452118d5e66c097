-- A program may have a response of its own forgotten: no program gets it again. The record of what was asked and done stays.
alter table ops.completions add column forgotten_at timestamptz;
grant update (forgotten_at) on ops.completions to {app};
