-- Reads as known at a sequence, whatever was said since.

-- The last row of an item that was known then, whose moment bounds all the others: graph.version_at.
create index versions_known on graph.versions (tenant_id, item_id, seq desc, recorded_at desc);

-- Lists pass over what was made later without fetching it.
create index nodes_listed on graph.nodes (tenant_id, type, created_at desc, id desc, made_seq);
drop index graph.nodes_tenant_id_type_created_at_id_idx;
