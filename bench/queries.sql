-- What the search is held against: the same messages in a plain table with Postgres's own full-text index.

-- name: plain_table
create table plain_messages as
select n.tenant_id, n.id, to_tsvector('english', n.props ->> 'body') as words from graph.nodes n where n.type = 'interaction';

-- name: plain_index
create index on plain_messages using gin (words);

-- name: plain_tenants
-- The tenants, the one with most messages first.
select tenant_id from plain_messages group by tenant_id order by count(*) desc;

-- name: plain_search
select id from plain_messages
 where tenant_id = %(tenant)s and words @@ to_tsquery('english', %(words)s)
 order by ts_rank(words, to_tsquery('english', %(words)s)) desc limit 10;
