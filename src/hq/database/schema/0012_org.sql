-- Numbers that are seen and written down by people (seed 003): each once per type, and a new node may ask for one.

create unique index nodes_number on graph.nodes (tenant_id, type, number) where number is not null;
drop function if exists graph.create_node(uuid, text, text, jsonb, uuid, timestamptz, boolean, jsonb);
