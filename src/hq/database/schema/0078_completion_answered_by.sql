-- A completion that an outage ended is begun anew when its program asks again under the same key: which one answers in its place.
alter table ops.completions add column answered_by uuid;
grant update (answered_by) on ops.completions to {app};
