-- What rests: who paused a job is remembered, as the history of a node remembers who paused that; and whether anything holds
-- somebody back is one look into an index, for it is asked with every change that an agent makes.
alter table ops.jobs add column paused_by text;
set constraints all immediate;  -- what an earlier step of the same migration wrote may still have checks to come
create index nodes_at_rest on graph.nodes (tenant_id, type)
    where status in ('paused', 'quarantined', 'dormant');
