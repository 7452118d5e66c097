-- Tags, so that a search for a rare one looks at what has it. Most nodes have none and cost nothing here.
create index on graph.nodes using gin (tags) where tags <> '{}';
