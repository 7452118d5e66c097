-- Search: the passages of what is written, the words in them, and their vectors. Written by the indexer alone, behind
-- the announcer; read through the functions of graph/search, each with its tenant in the condition: row security would
-- hide the indexes.

create extension if not exists vector;

-- A piece of what a source says or said: the text of a node, cut where it is long. What was said stays, for searches
-- of the past; `past` says that it is neither so now nor planned.
create table graph.passages (
    tenant_id  uuid not null references ops.tenants,
    id         bigint generated always as identity,
    source     text not null default 'node',
    source_id  uuid not null,
    whole      bytea not null,
    part       smallint not null,
    hash       bytea not null,
    body       text not null,
    words      text,
    language   text not null,
    length     smallint not null,
    thread     uuid,
    speaker    uuid,
    at         timestamptz not null,
    past       boolean not null,
    known_from timestamptz not null,
    primary key (tenant_id, id),
    unique (tenant_id, source_id, whole, part)
);
comment on column graph.passages.source is 'what kind of row it is of: node, or later a table of ops';
comment on column graph.passages.whole is 'hash of the whole text it is a part of';
comment on column graph.passages.hash is 'hash of the body, by which its vector is kept';
comment on column graph.passages.words is 'the body with its words set apart, where its script does not';
comment on column graph.passages.thread is 'the conversation it was said in';
create index on graph.passages (id);
create index on graph.passages (tenant_id, thread, at, id) where thread is not null and not past;
create index on graph.passages (tenant_id, hash);

-- Which passage holds which word how often, by the hash of language and stem.
create table graph.postings (
    tenant_id uuid not null,
    past      boolean not null,
    term      bigint not null,
    passage   bigint not null,
    tf        smallint not null,
    length    smallint not null,
    primary key (tenant_id, past, term, passage) include (tf, length)
);

-- In how many passages a word is, of what is not past.
create table graph.terms (
    tenant_id uuid not null,
    term      bigint not null,
    df        integer not null,
    primary key (tenant_id, term)
) with (fillfactor = 70);

-- How much a tenant has in each language, of what is not past.
create table graph.corpora (
    tenant_id uuid not null,
    language  text not null,
    passages  bigint not null,
    tokens    bigint not null,
    primary key (tenant_id, language)
) with (fillfactor = 50);

-- The words of names, under every spelling with a letter or two left out: two words that meet there are alike.
create table graph.spellings (
    tenant_id uuid not null,
    key       text not null,
    word      text not null,
    primary key (tenant_id, key, word)
);

-- Who speaks in conversations, by the words of their names.
create table graph.speakers (
    tenant_id uuid not null,
    word      text not null,
    speaker   uuid not null,
    primary key (tenant_id, word, speaker)
);

-- Embedding models. One serves; a new one is built beside it until it has everything.
create table graph.models (
    id         smallint generated always as identity primary key,
    name       text not null unique,
    dimensions smallint not null,
    state      text not null check (state in ('building', 'serving', 'retired')),
    upto       bigint not null default 0,
    indexed    boolean not null default false
);
comment on column graph.models.upto is 'every passage up to this one has its vector';
create unique index on graph.models (state) where state = 'serving';

create table graph.embeddings (
    tenant_id uuid not null,
    model     smallint not null references graph.models,
    hash      bytea not null,
    vector    halfvec not null,
    primary key (tenant_id, model, hash)
);
alter table graph.embeddings alter column vector set storage main;

-- The vector of a passage in its conversation: its own and, with less weight, those of what was said around it.
create table graph.contexts (
    tenant_id uuid not null,
    model     smallint not null references graph.models,
    passage   bigint not null,
    vector    halfvec not null,
    primary key (tenant_id, model, passage)
);
alter table graph.contexts alter column vector set storage main;

-- How many vectors a tenant has: few are all looked at, many need an index.
create table graph.embedded (
    tenant_id uuid not null,
    model     smallint not null,
    vectors   bigint not null,
    primary key (tenant_id, model)
) with (fillfactor = 50);

-- How far the indexer came: everything up to this call is in the passages.
create table graph.indexer (
    one     boolean primary key default true check (one),
    indexed bigint not null default 0
);
insert into graph.indexer default values;

do $$
declare
    t regclass;
begin
    foreach t in array array['graph.passages', 'graph.postings', 'graph.terms', 'graph.corpora', 'graph.spellings',
                             'graph.speakers', 'graph.embeddings', 'graph.contexts', 'graph.embedded']::regclass[] loop
        execute format('alter table %s enable row level security', t);
        execute format('create policy tenant on %s using (tenant_id = ops.tenant()) with check (tenant_id = ops.tenant())', t);
        execute format('grant select on %s to {app}', t);
    end loop;
end $$;
-- These two are of the installation, not of a tenant, and hold nothing of anybody's.
alter table graph.models enable row level security;
alter table graph.indexer enable row level security;
create policy everyone on graph.models for select using (true);
create policy everyone on graph.indexer for select using (true);
grant select on graph.models, graph.indexer to {app};
