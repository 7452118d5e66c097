-- Jobs: whatever runs by itself. One table for when each is next due in a company, one for what its runs did. The beats,
-- the schedules and the duties of before come over with their times and with how far each had come.

create table ops.jobs (
    tenant_id  uuid not null references ops.tenants,
    name       text not null,
    kind       text not null,
    node_id    uuid,
    agent      text,
    cron       text,
    zone       text,
    says       text not null default '',
    after_work boolean not null default false,
    state      text not null default 'on' check (state in ('on', 'paused')),
    next_at    timestamptz,
    taken      timestamptz,
    tries      smallint not null default 0,
    last_at    timestamptz,
    upto       bigint not null default 0,
    seen       bigint not null default 0,
    primary key (tenant_id, name),
    foreign key (tenant_id, node_id) references graph.nodes
);
comment on column ops.jobs.kind is 'house: declared in the program; any other is a row of its own: beat, resume, schedule';
comment on column ops.jobs.next_at is 'The next occurrence, in business time; none for what runs by interval or topic alone';
comment on column ops.jobs.taken is 'The occurrence under way; whoever leads next repeats it under the same key';
comment on column ops.jobs.upto is 'How far a job that follows the ledger has come';
create index on ops.jobs (next_at) where state = 'on';
create index on ops.jobs (tenant_id, kind, agent);
create index on ops.jobs (taken) where taken is not null;

create table ops.job_runs (
    tenant_id   uuid not null references ops.tenants,
    id          uuid not null,
    job         text not null,
    item        text,
    cause       text not null,
    due         timestamptz,
    started_at  timestamptz not null,
    duration_ms integer not null,
    status      text not null check (status in ('done', 'failed', 'nothing')),
    did         text,
    result      jsonb,
    error       text,
    tokens      bigint,
    cost_usd    numeric,
    session_id  uuid,
    action_id   uuid,
    primary key (tenant_id, id)
);
create index on ops.job_runs (tenant_id, job, started_at desc);
create index on ops.job_runs (tenant_id, started_at desc);

do $$
declare
    t regclass;
begin
    foreach t in array array['ops.jobs', 'ops.job_runs']::regclass[] loop
        execute format('alter table %s enable row level security', t);
        execute format('create policy tenant on %s using (tenant_id = ops.tenant()) with check (tenant_id = ops.tenant())', t);
    end loop;
end $$;
grant select, insert, update, delete on ops.jobs to {app};
grant select, insert, delete on ops.job_runs to {app};

insert into ops.jobs (tenant_id, name, kind, agent, cron, zone, says, after_work, state, next_at, last_at, seen)
select b.tenant_id, 'beat:' || b.agent || ':' || row_number() over (partition by b.tenant_id, b.agent order by b.due_at, b.cron),
       'beat', b.agent, b.cron, t.time_zone, b.says, b.after_work, case when b.enabled then 'on' else 'paused' end, b.due_at,
       b.last_at, b.seen
  from ops.beats b
  join ops.tenants t on t.id = b.tenant_id
 where b.cron <> '@resume';

insert into ops.jobs (tenant_id, name, kind, agent, says, next_at)
select b.tenant_id, 'resume:' || b.agent, 'resume', b.agent, b.says, b.due_at from ops.beats b where b.cron = '@resume';

-- One that rests has no time in the old table, and gets its next one when it is resumed.
insert into ops.jobs (tenant_id, name, kind, node_id, cron, zone, says, state, next_at, last_at)
select n.tenant_id, 'schedule:' || n.slug, 'schedule', n.id, n.props ->> 'cron', n.props ->> 'timezone', coalesce(n.title, n.slug),
       case when s.id is null then 'paused' else 'on' end, s.due_at, s.last_at
  from graph.nodes n
  left join ops.schedules s on s.tenant_id = n.tenant_id and s.id = n.id
 where n.type = 'schedule' and n.archived_at is null and (s.id is not null or n.status = 'paused');

insert into ops.jobs (tenant_id, name, kind, upto, last_at)
select d.tenant_id, d.name, 'house', d.upto, d.ran_at from ops.duties d;

insert into ops.job_runs (tenant_id, id, job, cause, started_at, duration_ms, status, did, error)
select d.tenant_id, gen_random_uuid(), d.name, 'before jobs were kept', coalesce(d.ran_at, clock_timestamp()), 0,
       case when d.failed is null then 'done' else 'failed' end, d.did, d.failed
  from ops.duties d where d.did is not null or d.failed is not null;

-- What reads them is applied again after this, from the files.
drop function if exists ops.heard_upto(timestamptz);
drop function if exists ops.unheard(uuid, timestamptz);
drop function if exists ops.with_news();
drop function if exists ops.with_beats(timestamptz);
drop function if exists ops.with_handoffs();
drop function if exists ops.with_schedules(timestamptz);
drop function if exists ops.with_settled(text[]);
drop function if exists ops.with_mail(timestamptz);
drop table ops.beats, ops.schedules, ops.duties;
