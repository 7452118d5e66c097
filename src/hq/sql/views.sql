-- Written by `scripts/sql_views.py` from base.sql and the catalogue; do not edit.

-- What `hq sql` reads. Row security shows a session the rows of its ticket's tenant (schema/0005_sql.sql); the views
-- give them names, and the moment that `--at` asks for. Without one the current rows are read, with one the past.

create schema if not exists hq;
revoke all on schema hq from public;
grant usage on schema hq to {reader};

do $$
declare
    v record;
begin
    for v in select format('%I.%I', schemaname, viewname) as name from pg_views where schemaname = 'hq' loop
        execute 'drop view if exists ' || v.name || ' cascade';
    end loop;
end $$;

-- The moment this query is about: now by the company's clock, or what `--at` said.
create or replace function hq.true_at() returns timestamptz
    language sql stable parallel safe
    return current_setting('hq.true_at')::timestamptz;

-- When that was believed; none where the query is about now.
create or replace function hq.known_at() returns timestamptz
    language sql stable parallel safe
    return nullif(current_setting('hq.known_at', true), '')::timestamptz;

create or replace function hq.known_upto() returns bigint
    language sql stable parallel safe
    return nullif(current_setting('hq.known_upto', true), '')::bigint;

create or replace function hq.known_also() returns bigint[]
    language sql stable parallel safe
    return coalesce(nullif(current_setting('hq.known_also', true), ''), '{}')::bigint[];

-- Whether a row that is only ever added was there then.
create or replace function hq.was_known(_at timestamptz, _seq bigint) returns boolean
    language sql stable parallel safe
    return hq.known_at() is null
        or (_at <= hq.known_at() and (hq.known_upto() is null or _seq <= hq.known_upto() or _seq = any (hq.known_also())));

-- Whether planned changes have come due that no call has let show in the current rows yet.
create or replace function hq.unsettled() returns boolean
    language sql stable
    set search_path = pg_catalog, pg_temp
begin atomic
    select exists (select 1 from graph.nodes where next_change_at <= hq.true_at())
        or exists (select 1 from graph.edges where next_change_at <= hq.true_at());
end;

create view hq.nodes with (security_invoker = true) as
    select n.id, n.type, n.slug, n.number, n.title, n.status, n.priority, n.occurred_at,
           case when n.redaction_policy = 'secret' then '{}' else n.props end as props, n.tags,
           n.archived_at is null and n.next_change_at is distinct from n.valid_from
               and (n.valid_to is null or n.valid_to > hq.true_at()) as live,
           n.producer_id, n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at,
           n.updated_at, n.archived_at, n.confidence, n.taint, n.seq as version, n.action_id
      from graph.nodes n
     where hq.known_at() is null
    union all
    select n.id, n.type, n.slug, n.number, n.title, n.status, n.priority, n.occurred_at,
           case when n.redaction_policy = 'secret' then '{}' else n.props end, n.tags,
           n.archived_at is null and n.next_change_at is distinct from n.valid_from
               and (n.valid_to is null or n.valid_to > hq.true_at()),
           n.producer_id, n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at,
           n.updated_at, n.archived_at, n.confidence, n.taint, n.seq, n.action_id
      from graph.nodes_at(hq.true_at(), hq.known_at(), hq.known_upto(), hq.known_also()) n
     where hq.known_at() is not null;

create view hq.links with (security_invoker = true) as
    select e.id, e.type, e.from_id, e.to_id, e.props, e.valid_from, e.valid_to, e.confidence, e.taint, e.created_at,
           e.updated_at, e.seq as version, e.action_id
      from graph.edges e
     where hq.known_at() is null and e.live and e.next_change_at is distinct from e.valid_from
       and (e.valid_to is null or e.valid_to > hq.true_at())
    union all
    select e.id, e.type, e.from_id, e.to_id, e.props, e.valid_from, e.valid_to, e.confidence, e.taint, e.created_at,
           e.updated_at, e.seq, e.action_id
      from graph.edges_at(hq.true_at(), hq.known_at(), hq.known_upto(), hq.known_also()) e
     where hq.known_at() is not null and e.live and e.next_change_at is distinct from e.valid_from
       and (e.valid_to is null or e.valid_to > hq.true_at());

create view hq.history with (security_invoker = true) as
    select v.item_id as node_id, v.seq as version, v.op, v.actor, v.reason, v.recorded_at, v.valid_from as true_from,
           v.touched, case when v.doc ->> 'redaction_policy' = 'secret' then '{}' else v.patch end as said, v.action_id
      from graph.versions v
     where v.kind = 'node' and v.op <> 'carry' and hq.was_known(v.recorded_at, v.seq);

create view hq.actions with (security_invoker = true) as
    select a.id, a.seq as sequence, a.actor, a.action_type as verb, a.kind, a.status, a.error_code, a.gate, a.decision,
           a.reason, a.target_kind, a.target_id, a.input, a.output, a.model, a.cost_usd, a.duration_ms, a.session_id,
           a.task_id, a.trace_id, a.parent_id, a.undoes, a.taint, a.created_at
      from ops.agent_actions a
     where hq.was_known(a.created_at, a.seq);

create view hq.events with (security_invoker = true) as
    select o.seq as sequence, o.ordinal, o.topic, o.payload, o.action_id, o.created_at
      from ops.outbox o
     where hq.was_known(o.created_at, o.seq);

create view hq."agent" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'name' as "name", n.props ->> 'kind' as "kind", n.props ->> 'role' as
           "role", n.props ->> 'description' as "description", n.props ->> 'model' as "model", case jsonb_typeof(n.props ->
           'model_triggers') when 'array' then graph.texts(n.props -> 'model_triggers') end as "model_triggers", n.props ->>
           'cost_tier' as "cost_tier", (n.props ->> 'temperature')::double precision as "temperature", (n.props ->>
           'max_tokens')::bigint as "max_tokens", n.props ->> 'workspace' as "workspace", case jsonb_typeof(n.props -> 'tools')
           when 'array' then graph.texts(n.props -> 'tools') end as "tools", n.props -> 'tool_actions' as "tool_actions", case
           jsonb_typeof(n.props -> 'subagents') when 'array' then graph.texts(n.props -> 'subagents') end as "subagents",
           (n.props ->> 'max_subagents')::bigint as "max_subagents", case jsonb_typeof(n.props -> 'scopes') when 'array' then
           graph.texts(n.props -> 'scopes') end as "scopes", case jsonb_typeof(n.props -> 'owns') when 'array' then
           graph.texts(n.props -> 'owns') end as "owns", case jsonb_typeof(n.props -> 'never') when 'array' then
           graph.texts(n.props -> 'never') end as "never", case jsonb_typeof(n.props -> 'write_paths') when 'array' then
           graph.texts(n.props -> 'write_paths') end as "write_paths", case jsonb_typeof(n.props -> 'beats') when 'array' then
           graph.texts(n.props -> 'beats') end as "beats", case jsonb_typeof(n.props -> 'outbox_topics') when 'array' then
           graph.texts(n.props -> 'outbox_topics') end as "outbox_topics", (n.props ->> 'takes_messages')::boolean as
           "takes_messages", (n.props ->> 'warm_window_seconds')::bigint as "warm_window_seconds", (n.props ->>
           'daily_usd_soft')::double precision as "daily_usd_soft", (n.props ->> 'daily_usd_hard')::double precision as
           "daily_usd_hard", (n.props ->> 'daily_tokens_hard')::bigint as "daily_tokens_hard", (n.props ->>
           'tokens_per_run_cap')::bigint as "tokens_per_run_cap", (n.props ->> 'max_turns_per_query')::bigint as
           "max_turns_per_query", (n.props ->> 'opus_turns_per_day_cap')::bigint as "opus_turns_per_day_cap", n.props ->>
           'version' as "version", n.tags, n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to,
           n.created_at, n.updated_at, n.confidence, n.taint, n.version as node_version
      from hq.nodes n
     where n.type = 'agent' and n.live;

create view hq."agent_handover_memo" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.props ->> 'body_md' as "body_md", case jsonb_typeof(n.props -> 'open_tasks') when 'array'
           then graph.texts(n.props -> 'open_tasks') end as "open_tasks", case jsonb_typeof(n.props -> 'open_subscriptions')
           when 'array' then graph.texts(n.props -> 'open_subscriptions') end as "open_subscriptions", case
           jsonb_typeof(n.props -> 'pending_proposals') when 'array' then graph.texts(n.props -> 'pending_proposals') end as
           "pending_proposals", n.tags, n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at,
           n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'agent_handover_memo' and n.live;

create view hq."agent_incident" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'kind' as "kind", n.props ->> 'severity' as "severity", n.props ->>
           'summary' as "summary", n.props ->> 'detail_md' as "detail_md", n.props ->> 'action_taken' as "action_taken",
           (n.props ->> 'detected_at')::timestamptz as "detected_at", (n.props ->> 'resolved_at')::timestamptz as
           "resolved_at", n.tags, n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at,
           n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'agent_incident' and n.live;

create view hq."agent_run" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'task' as "task", n.props ->> 'kind' as "kind", n.props ->> 'task_id'
           as "task_id", n.props ->> 'worker_id' as "worker_id", n.props ->> 'model' as "model", n.props ->> 'summary' as
           "summary", n.props ->> 'result' as "result", n.props ->> 'error' as "error", (n.props ->> 'tokens_used')::bigint as
           "tokens_used", (n.props ->> 'cost_usd')::double precision as "cost_usd", (n.props ->> 'duration_ms')::bigint as
           "duration_ms", (n.props ->> 'started_at')::timestamptz as "started_at", (n.props ->> 'completed_at')::timestamptz as
           "completed_at", n.tags, n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at,
           n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'agent_run' and n.live;

create view hq."agent_session" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'trigger_kind' as "trigger_kind", n.props ->> 'trigger_summary' as
           "trigger_summary", (n.props ->> 'started_at')::timestamptz as "started_at", (n.props ->> 'ended_at')::timestamptz as
           "ended_at", (n.props ->> 'turns_taken')::bigint as "turns_taken", (n.props ->> 'cost_usd')::double precision as
           "cost_usd", n.props ->> 'model_used' as "model_used", n.props ->> 'task_summary_md' as "task_summary_md", n.props
           ->> 'snapshot_md' as "snapshot_md", n.props ->> 'reason_closed' as "reason_closed", (n.props ->>
           'memory_entry_count')::bigint as "memory_entry_count", n.tags, n.owner_id, n.external_source, n.external_id,
           n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'agent_session' and n.live;

create view hq."alert" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'name' as "name", n.props ->> 'severity' as "severity", n.props ->>
           'summary' as "summary", n.props ->> 'description_md' as "description_md", n.props -> 'labels' as "labels", n.props
           ->> 'fingerprint' as "fingerprint", n.props ->> 'generator_url' as "generator_url", (n.props ->>
           'starts_at')::timestamptz as "starts_at", (n.props ->> 'ends_at')::timestamptz as "ends_at", n.tags, n.owner_id,
           n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint,
           n.version
      from hq.nodes n
     where n.type = 'alert' and n.live;

create view hq."approval" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, (n.props ->> 'defer_until')::timestamptz as "defer_until", n.props ->> 'verb' as
           "verb", n.props ->> 'asks' as "asks", n.props -> 'arguments' as "arguments", n.props ->> 'arguments_hash' as
           "arguments_hash", n.props -> 'targets' as "targets", n.props ->> 'requester' as "requester", n.props ->> 'needs' as
           "needs", n.props ->> 'requester_principal' as "requester_principal", n.props ->> 'gate' as "gate", n.props ->> 'why'
           as "why", (n.props ->> 'forecast_cost_usd')::double precision as "forecast_cost_usd", n.props ->> 'forecast' as
           "forecast", (n.props ->> 'expires_at')::timestamptz as "expires_at", (n.props ->> 'nudged_at')::timestamptz as
           "nudged_at", (n.props ->> 'escalated_at')::timestamptz as "escalated_at", n.props ->> 'decided_by' as "decided_by",
           (n.props ->> 'decided_at')::timestamptz as "decided_at", n.props ->> 'note' as "note", n.props ->> 'outcome_action'
           as "outcome_action", n.tags, n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at,
           n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'approval' and n.live;

create view hq."brief" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'objective' as "objective", n.props ->> 'context' as "context", n.props
           -> 'constraints' as "constraints", case jsonb_typeof(n.props -> 'deliverables') when 'array' then
           graph.texts(n.props -> 'deliverables') end as "deliverables", case jsonb_typeof(n.props -> 'tools_approved') when
           'array' then graph.texts(n.props -> 'tools_approved') end as "tools_approved", case jsonb_typeof(n.props ->
           'skills') when 'array' then graph.texts(n.props -> 'skills') end as "skills", case jsonb_typeof(n.props ->
           'agents_approved') when 'array' then graph.texts(n.props -> 'agents_approved') end as "agents_approved", n.props ->>
           'delegation_rules' as "delegation_rules", (n.props ->> 'delegation_budget')::bigint as "delegation_budget", (n.props
           ->> 'escalation_threshold')::bigint as "escalation_threshold", n.props ->> 'org_context' as "org_context", n.props
           ->> 'prior_work' as "prior_work", n.props ->> 'founder_prefs' as "founder_prefs", n.tags, n.owner_id,
           n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint,
           n.version
      from hq.nodes n
     where n.type = 'brief' and n.live;

create view hq."budget" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'name' as "name", n.props ->> 'period' as "period", (n.props ->>
           'usd_soft')::double precision as "usd_soft", (n.props ->> 'usd_hard')::double precision as "usd_hard", (n.props ->>
           'tokens_soft')::bigint as "tokens_soft", (n.props ->> 'tokens_hard')::bigint as "tokens_hard", (n.props ->>
           'heavy_hard')::bigint as "heavy_hard", (n.props ->> 'warn_at')::double precision as "warn_at", n.tags, n.owner_id,
           n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint,
           n.version
      from hq.nodes n
     where n.type = 'budget' and n.live;

create view hq."code_run" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'prompt' as "prompt", n.props ->> 'kind' as "kind", n.props ->> 'mode'
           as "mode", n.props ->> 'cli' as "cli", n.props ->> 'model' as "model", n.props ->> 'answered_by' as "answered_by",
           n.props ->> 'session' as "session", n.props ->> 'conversation' as "conversation", n.props ->> 'why' as "why",
           n.props -> 'wants' as "wants", n.props -> 'answer' as "answer", n.props ->> 'requester' as "requester", (n.props ->>
           'lost')::bigint as "lost", (n.props ->> 'token_budget')::bigint as "token_budget", (n.props ->>
           'timeout_minutes')::double precision as "timeout_minutes", n.props ->> 'check' as "check", (n.props ->>
           'merges')::boolean as "merges", (n.props ->> 'merged')::boolean as "merged", n.props ->> 'undo' as "undo", n.props
           ->> 'began_with' as "began_with", n.props ->> 'left' as "left", case jsonb_typeof(n.props -> 'files_created') when
           'array' then graph.texts(n.props -> 'files_created') end as "files_created", case jsonb_typeof(n.props ->
           'files_modified') when 'array' then graph.texts(n.props -> 'files_modified') end as "files_modified", case
           jsonb_typeof(n.props -> 'files_deleted') when 'array' then graph.texts(n.props -> 'files_deleted') end as
           "files_deleted", (n.props ->> 'exit_code')::bigint as "exit_code", n.props ->> 'said' as "said", (n.props ->>
           'tokens_used')::bigint as "tokens_used", (n.props ->> 'cost')::double precision as "cost", (n.props ->>
           'denied')::bigint as "denied", n.tags, n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to,
           n.created_at, n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'code_run' and n.live;

create view hq."connector" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'name' as "name", n.props ->> 'kind' as "kind", n.props ->> 'transport'
           as "transport", case jsonb_typeof(n.props -> 'command') when 'array' then graph.texts(n.props -> 'command') end as
           "command", n.props ->> 'url' as "url", n.props -> 'env' as "env", n.props -> 'headers' as "headers", n.props ->>
           'bearer' as "bearer", (n.props ->> 'network')::boolean as "network", case jsonb_typeof(n.props -> 'allowed_domains')
           when 'array' then graph.texts(n.props -> 'allowed_domains') end as "allowed_domains", (n.props ->>
           'timeout_seconds')::double precision as "timeout_seconds", n.tags, n.owner_id, n.external_source, n.external_id,
           n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'connector' and n.live;

create view hq."contact" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.props ->> 'name' as "name", n.props ->> 'email' as "email", n.props ->> 'phone' as "phone",
           n.props ->> 'job_title' as "job_title", n.props ->> 'preferred_language' as "preferred_language", n.props ->>
           'timezone' as "timezone", n.props ->> 'style_notes' as "style_notes", n.tags, n.owner_id, n.external_source,
           n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'contact' and n.live;

create view hq."conversation" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'kind' as "kind", n.props ->> 'thread_id' as "thread_id", (n.props ->>
           'started_at')::timestamptz as "started_at", (n.props ->> 'ended_at')::timestamptz as "ended_at", n.tags, n.owner_id,
           n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint,
           n.version
      from hq.nodes n
     where n.type = 'conversation' and n.live;

create view hq."conversation_summary" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.props ->> 'summary' as "summary", n.props ->> 'messages_start' as "messages_start", n.props
           ->> 'messages_end' as "messages_end", (n.props ->> 'message_count')::bigint as "message_count", (n.props ->>
           'token_count')::bigint as "token_count", n.tags, n.owner_id, n.external_source, n.external_id, n.valid_from,
           n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'conversation_summary' and n.live;

create view hq."decision" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'context_md' as "context_md", n.props ->> 'decision_md' as
           "decision_md", n.props ->> 'consequences_md' as "consequences_md", (n.props ->> 'decided_at')::timestamptz as
           "decided_at", n.tags, n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at,
           n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'decision' and n.live;

create view hq."delegation" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'reason' as "reason", n.props ->> 'approved_by' as "approved_by", case
           jsonb_typeof(n.props -> 'tools') when 'array' then graph.texts(n.props -> 'tools') end as "tools", (n.props ->>
           'tokens_budget')::bigint as "tokens_budget", (n.props ->> 'tokens_used')::bigint as "tokens_used", n.tags,
           n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence,
           n.taint, n.version
      from hq.nodes n
     where n.type = 'delegation' and n.live;

create view hq."deliverable" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'kind' as "kind", n.props ->> 'url' as "url", n.props ->> 'commit' as
           "commit", n.props ->> 'path' as "path", n.props ->> 'sha256' as "sha256", n.props ->> 'check' as "check", n.props
           ->> 'seen' as "seen", (n.props ->> 'shipped_at')::timestamptz as "shipped_at", n.tags, n.owner_id,
           n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint,
           n.version
      from hq.nodes n
     where n.type = 'deliverable' and n.live;

create view hq."document" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'kind' as "kind", n.props ->> 'path' as "path", n.props ->> 'url' as
           "url", n.props ->> 'mime_type' as "mime_type", (n.props ->> 'size_bytes')::bigint as "size_bytes", n.props ->>
           'sha256' as "sha256", n.props ->> 'language' as "language", n.props ->> 'content_md' as "content_md", (n.props ->>
           'sent_at')::timestamptz as "sent_at", (n.props ->> 'read_at')::timestamptz as "read_at", n.tags, n.owner_id,
           n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint,
           n.version
      from hq.nodes n
     where n.type = 'document' and n.live;

create view hq."engagement" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'name' as "name", n.props ->> 'stage' as "stage", n.props ->>
           'description_md' as "description_md", (n.props ->> 'price')::double precision as "price", n.props ->> 'currency' as
           "currency", (n.props ->> 'maintenance_months')::bigint as "maintenance_months", (n.props ->> 'probability')::double
           precision as "probability", (n.props ->> 'expected_close_at')::timestamptz as "expected_close_at", (n.props ->>
           'turnaround_sla_hours')::bigint as "turnaround_sla_hours", n.tags, n.owner_id, n.external_source, n.external_id,
           n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'engagement' and n.live;

create view hq."entity" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.props ->> 'name' as "name", n.props ->> 'kind' as "kind", n.props ->> 'relationship' as
           "relationship", n.props ->> 'temperature' as "temperature", n.props ->> 'email' as "email", n.props ->> 'phone' as
           "phone", n.props ->> 'website' as "website", n.props ->> 'address' as "address", n.props ->> 'tax_id' as "tax_id",
           n.props ->> 'preferred_language' as "preferred_language", n.props ->> 'description_md' as "description_md", n.tags,
           n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence,
           n.taint, n.version
      from hq.nodes n
     where n.type = 'entity' and n.live;

create view hq."escalation" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, (n.props ->> 'defer_until')::timestamptz as "defer_until", n.props ->> 'summary' as
           "summary", n.props ->> 'trigger' as "trigger", n.props ->> 'context_md' as "context_md", n.props -> 'options' as
           "options", n.props ->> 'risk' as "risk", (n.props ->> 'hops')::bigint as "hops", n.props ->> 'resolution' as
           "resolution", case jsonb_typeof(n.props -> 'because') when 'array' then graph.texts(n.props -> 'because') end as
           "because", (n.props ->> 'resolved_at')::timestamptz as "resolved_at", n.props ->> 'decided_by' as "decided_by",
           n.tags, n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at,
           n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'escalation' and n.live;

create view hq."event" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.props ->> 'kind' as "kind", n.props ->> 'summary' as "summary", n.props ->> 'body_md' as
           "body_md", n.props ->> 'impact' as "impact", (n.props ->> 'occurred_at')::timestamptz as "occurred_at", n.tags,
           n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence,
           n.taint, n.version
      from hq.nodes n
     where n.type = 'event' and n.live;

create view hq."expectation" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'kind' as "kind", n.props ->> 'direction' as "direction", n.props ->>
           'severity' as "severity", n.props ->> 'description_md' as "description_md", (n.props ->> 'asked_at')::timestamptz as
           "asked_at", (n.props ->> 'due_at')::timestamptz as "due_at", (n.props ->> 'resolved_at')::timestamptz as
           "resolved_at", n.props ->> 'sla_source' as "sla_source", n.props ->> 'rrule' as "rrule", n.tags, n.owner_id,
           n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint,
           n.version
      from hq.nodes n
     where n.type = 'expectation' and n.live;

create view hq."expense" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.props ->> 'description' as "description", n.props ->> 'category' as "category", (n.props
           ->> 'amount')::double precision as "amount", n.props ->> 'currency' as "currency", n.props ->> 'vendor' as "vendor",
           (n.props ->> 'billable')::boolean as "billable", n.props ->> 'receipt_url' as "receipt_url", (n.props ->>
           'incurred_at')::timestamptz as "incurred_at", n.tags, n.owner_id, n.external_source, n.external_id, n.valid_from,
           n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'expense' and n.live;

create view hq."fact" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.props ->> 'label' as "label", n.props ->> 'subject' as "subject", n.props ->> 'relation' as
           "relation", n.props ->> 'value' as "value", n.tags, n.owner_id, n.external_source, n.external_id, n.valid_from,
           n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'fact' and n.live;

create view hq."feature" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'description_md' as "description_md", n.props ->> 'priority' as
           "priority", n.props ->> 'complexity' as "complexity", n.props ->> 'acceptance_criteria' as "acceptance_criteria",
           (n.props ->> 'due')::timestamptz as "due", n.tags, n.owner_id, n.external_source, n.external_id, n.valid_from,
           n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'feature' and n.live;

create view hq."grant" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'actor' as "actor", n.props ->> 'verb' as "verb", n.props ->> 'scope'
           as "scope", (n.props ->> 'expires_at')::timestamptz as "expires_at", n.props ->> 'granted_by' as "granted_by",
           n.props ->> 'from_approval' as "from_approval", (n.props ->> 'uses_left')::bigint as "uses_left", n.tags,
           n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence,
           n.taint, n.version
      from hq.nodes n
     where n.type = 'grant' and n.live;

create view hq."handoff" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'reason' as "reason", n.props ->> 'context' as "context", (n.props ->>
           'context_used')::double precision as "context_used", n.props ->> 'current_work' as "current_work", n.props ->>
           'progress' as "progress", n.props ->> 'key_decisions' as "key_decisions", n.props ->> 'blockers' as "blockers", case
           jsonb_typeof(n.props -> 'files_modified') when 'array' then graph.texts(n.props -> 'files_modified') end as
           "files_modified", n.props ->> 'next_steps' as "next_steps", n.props ->> 'document_path' as "document_path", n.props
           ->> 'completed_via' as "completed_via", n.props ->> 'error' as "error", n.props ->> 'from_session' as
           "from_session", n.props ->> 'to_session' as "to_session", (n.props ->> 'due_at')::timestamptz as "due_at", (n.props
           ->> 'requested_at')::timestamptz as "requested_at", (n.props ->> 'completed_at')::timestamptz as "completed_at",
           n.tags, n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at,
           n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'handoff' and n.live;

create view hq."http_site" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.props ->> 'name' as "name", n.props ->> 'url' as "url", n.props ->> 'bearer' as "bearer",
           n.props -> 'headers' as "headers", (n.props ->> 'allow_private')::boolean as "allow_private", n.tags, n.owner_id,
           n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint,
           n.version
      from hq.nodes n
     where n.type = 'http_site' and n.live;

create view hq."intent" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'kind' as "kind", n.props ->> 'urgency' as "urgency", (n.props ->>
           'explicit_due_at')::timestamptz as "explicit_due_at", n.props ->> 'evidence_span' as "evidence_span", n.tags,
           n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence,
           n.taint, n.version
      from hq.nodes n
     where n.type = 'intent' and n.live;

create view hq."interaction" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'channel' as "channel", n.props ->> 'direction' as "direction", n.props
           ->> 'subject' as "subject", n.props ->> 'body' as "body", n.props ->> 'summary_md' as "summary_md", n.props ->>
           'thread_id' as "thread_id", n.props ->> 'language' as "language", (n.props ->> 'occurred_at')::timestamptz as
           "occurred_at", (n.props ->> 'duration_seconds')::bigint as "duration_seconds", n.tags, n.owner_id,
           n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint,
           n.version
      from hq.nodes n
     where n.type = 'interaction' and n.live;

create view hq."invoice" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'invoice_number' as "invoice_number", (n.props ->> 'amount')::double
           precision as "amount", (n.props ->> 'tax_amount')::double precision as "tax_amount", n.props ->> 'currency' as
           "currency", n.props -> 'lines' as "lines", (n.props ->> 'issued_at')::timestamptz as "issued_at", (n.props ->>
           'due_at')::timestamptz as "due_at", n.tags, n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to,
           n.created_at, n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'invoice' and n.live;

create view hq."kb_article" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.props ->> 'path' as "path", n.props ->> 'category' as "category", n.props ->> 'content_md'
           as "content_md", n.props ->> 'sha256' as "sha256", n.props ->> 'language' as "language", n.tags, n.owner_id,
           n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint,
           n.version
      from hq.nodes n
     where n.type = 'kb_article' and n.live;

create view hq."lesson" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'action_type' as "action_type", n.props ->> 'body_md' as "body_md",
           n.props -> 'steps' as "steps", n.props ->> 'task_id' as "task_id", (n.props ->> 'measured_effect')::double precision
           as "measured_effect", (n.props ->> 'measured_uses')::bigint as "measured_uses", n.tags, n.owner_id,
           n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint,
           n.version
      from hq.nodes n
     where n.type = 'lesson' and n.live;

create view hq."memo" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.props ->> 'kind' as "kind", n.props ->> 'content_md' as "content_md", n.props ->>
           'audience' as "audience", n.props ->> 'language' as "language", (n.props ->> 'period_start')::timestamptz as
           "period_start", (n.props ->> 'period_end')::timestamptz as "period_end", n.tags, n.owner_id, n.external_source,
           n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'memo' and n.live;

create view hq."memory_entry" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'kind' as "kind", n.props ->> 'body_md' as "body_md", (n.props ->>
           'salience')::double precision as "salience", (n.props ->> 'last_validated_at')::timestamptz as "last_validated_at",
           (n.props ->> 'decay_after_days')::bigint as "decay_after_days", n.tags, n.owner_id, n.external_source,
           n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'memory_entry' and n.live;

create view hq."mission" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'description' as "description", n.props ->> 'priority' as "priority",
           n.props ->> 'category' as "category", n.props ->> 'context_notes' as "context_notes", case jsonb_typeof(n.props ->
           'acceptance_criteria') when 'array' then graph.texts(n.props -> 'acceptance_criteria') end as "acceptance_criteria",
           case jsonb_typeof(n.props -> 'plan') when 'array' then graph.texts(n.props -> 'plan') end as "plan", (n.props ->>
           'plan_accepted_at')::timestamptz as "plan_accepted_at", n.props ->> 'spec_ref' as "spec_ref", case
           jsonb_typeof(n.props -> 'skills') when 'array' then graph.texts(n.props -> 'skills') end as "skills", (n.props ->>
           'token_budget')::bigint as "token_budget", (n.props ->> 'cost_limit')::double precision as "cost_limit", (n.props
           ->> 'deadline')::timestamptz as "deadline", case jsonb_typeof(n.props -> 'deliverables') when 'array' then
           graph.texts(n.props -> 'deliverables') end as "deliverables", n.props -> 'decided' as "decided", n.props ->
           'counter' as "counter", (n.props ->> 'failed_checks')::bigint as "failed_checks", n.props ->> 'outcome_summary' as
           "outcome_summary", n.props ->> 'lessons_learned' as "lessons_learned", n.props ->> 'status_reason' as
           "status_reason", (n.props ->> 'called_off')::boolean as "called_off", n.props ->> 'workspace_path' as
           "workspace_path", n.props ->> 'files_at' as "files_at", n.props ->> 'start_with' as "start_with", n.props ->>
           'began_with' as "began_with", n.props ->> 'brought' as "brought", (n.props ->> 'started_at')::timestamptz as
           "started_at", (n.props ->> 'completed_at')::timestamptz as "completed_at", n.tags, n.owner_id, n.external_source,
           n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'mission' and n.live;

create view hq."mission_memory" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.props ->> 'content' as "content", n.props ->> 'kind' as "kind", n.props ->> 'author' as
           "author", n.tags, n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at,
           n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'mission_memory' and n.live;

create view hq."objective" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'current_text' as "current_text", n.props ->> 'constraints' as
           "constraints", (n.props ->> 'priority_enabled')::boolean as "priority_enabled", n.props ->> 'metric' as "metric",
           n.props ->> 'unit' as "unit", (n.props ->> 'baseline_value')::double precision as "baseline_value", (n.props ->>
           'target_value')::double precision as "target_value", (n.props ->> 'measured_value')::double precision as
           "measured_value", (n.props ->> 'measured_at')::timestamptz as "measured_at", (n.props ->> 'due')::timestamptz as
           "due", n.tags, n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at,
           n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'objective' and n.live;

create view hq."open_question" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'question' as "question", n.props ->> 'context_md' as "context_md",
           n.props ->> 'answer_md' as "answer_md", (n.props ->> 'due')::timestamptz as "due", n.tags, n.owner_id,
           n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint,
           n.version
      from hq.nodes n
     where n.type = 'open_question' and n.live;

create view hq."org_memory" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'category' as "category", n.props ->> 'content' as "content", n.props
           ->> 'source' as "source", (n.props ->> 'expires_at')::timestamptz as "expires_at", (n.props ->>
           'last_validated_at')::timestamptz as "last_validated_at", n.props ->> 'slot_id' as "slot_id", n.props ->>
           'action_id' as "action_id", n.tags, n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to,
           n.created_at, n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'org_memory' and n.live;

create view hq."organisation" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.number, n.status, n.props ->> 'name' as "name", n.props ->> 'purpose' as "purpose", n.props
           ->> 'description' as "description", n.props -> 'intent' as "intent", n.props ->> 'intent_md' as "intent_md", n.props
           ->> 'philosophy' as "philosophy", n.props ->> 'risk_tolerance' as "risk_tolerance", (n.props ->>
           'value_under_management')::double precision as "value_under_management", (n.props ->>
           'value_measured_at')::timestamptz as "value_measured_at", n.tags, n.owner_id, n.external_source, n.external_id,
           n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'organisation' and n.live;

create view hq."payment" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.props ->> 'reference' as "reference", n.props ->> 'kind' as "kind", (n.props ->>
           'amount')::double precision as "amount", n.props ->> 'currency' as "currency", n.props ->> 'method' as "method",
           (n.props ->> 'paid_at')::timestamptz as "paid_at", n.tags, n.owner_id, n.external_source, n.external_id,
           n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'payment' and n.live;

create view hq."persona" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.number, n.status, n.props ->> 'name' as "name", n.props ->> 'role' as "role", n.props ->>
           'description' as "description", n.tags, n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to,
           n.created_at, n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'persona' and n.live;

create view hq."playbook" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'category' as "category", n.props ->> 'body_md' as "body_md", n.props
           ->> 'trigger' as "trigger", case jsonb_typeof(n.props -> 'sensitive') when 'array' then graph.texts(n.props ->
           'sensitive') end as "sensitive", n.props ->> 'canary_id' as "canary_id", (n.props ->> 'canary_fraction')::double
           precision as "canary_fraction", (n.props ->> 'canary_ends_at')::timestamptz as "canary_ends_at", (n.props ->>
           'measured_effect')::double precision as "measured_effect", (n.props ->> 'measured_uses')::bigint as "measured_uses",
           (n.props ->> 'measured_at')::timestamptz as "measured_at", n.tags, n.owner_id, n.external_source, n.external_id,
           n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'playbook' and n.live;

create view hq."position" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.number, (n.props ->> 'level')::bigint as "level", (n.props ->> 'is_cross_cutting')::boolean
           as "is_cross_cutting", n.props ->> 'description' as "description", (n.props ->> 'spend_per_transaction')::double
           precision as "spend_per_transaction", (n.props ->> 'spend_per_session')::double precision as "spend_per_session",
           (n.props ->> 'hard_stop_below')::double precision as "hard_stop_below", n.props ->> 'currency' as "currency",
           n.tags, n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at,
           n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'position' and n.live;

create view hq."position_assignment" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.number, n.status, n.props ->> 'label' as "label", (n.props ->> 'assigned_at')::timestamptz
           as "assigned_at", (n.props ->> 'unassigned_at')::timestamptz as "unassigned_at", n.props ->> 'note' as "note",
           n.tags, n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at,
           n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'position_assignment' and n.live;

create view hq."producer" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'name' as "name", n.props ->> 'kind' as "kind", n.props ->> 'role' as
           "role", n.props ->> 'description' as "description", (n.props ->> 'expected_every_minutes')::bigint as
           "expected_every_minutes", n.tags, n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to,
           n.created_at, n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'producer' and n.live;

create view hq."project" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'name' as "name", n.props ->> 'description_md' as "description_md",
           n.props ->> 'priority' as "priority", n.props ->> 'project_type' as "project_type", case jsonb_typeof(n.props ->
           'tech_stack') when 'array' then graph.texts(n.props -> 'tech_stack') end as "tech_stack", n.props ->> 'repo_url' as
           "repo_url", (n.props ->> 'started_at')::timestamptz as "started_at", (n.props ->> 'due')::timestamptz as "due",
           n.tags, n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at,
           n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'project' and n.live;

create view hq."proposal" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, (n.props ->> 'defer_until')::timestamptz as "defer_until", n.props ->> 'kind' as
           "kind", n.props ->> 'body' as "body", n.props -> 'evidence' as "evidence", n.props -> 'change' as "change", case
           jsonb_typeof(n.props -> 'open_while') when 'array' then graph.texts(n.props -> 'open_while') end as "open_while",
           (n.props ->> 'sample_size')::bigint as "sample_size", n.props ->> 'canary_id' as "canary_id", (n.props ->>
           'canary_fraction')::double precision as "canary_fraction", (n.props ->> 'canary_ends_at')::timestamptz as
           "canary_ends_at", (n.props ->> 'expires_at')::timestamptz as "expires_at", n.props ->> 'decided_by' as "decided_by",
           (n.props ->> 'decided_at')::timestamptz as "decided_at", n.props ->> 'note' as "note", n.tags, n.owner_id,
           n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint,
           n.version
      from hq.nodes n
     where n.type = 'proposal' and n.live;

create view hq."question" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, (n.props ->> 'defer_until')::timestamptz as "defer_until", n.props ->>
           'question_text' as "question_text", n.props ->> 'kind' as "kind", n.props ->> 'context' as "context", n.props ->
           'options' as "options", n.props ->> 'risk' as "risk", n.props ->> 'acts_as' as "acts_as", n.props ->> 'severity' as
           "severity", case jsonb_typeof(n.props -> 'open_while') when 'array' then graph.texts(n.props -> 'open_while') end as
           "open_while", n.props ->> 'recommendation' as "recommendation", n.props ->> 'choice' as "choice", n.props ->>
           'answer' as "answer", case jsonb_typeof(n.props -> 'because') when 'array' then graph.texts(n.props -> 'because')
           end as "because", n.props ->> 'answered_by' as "answered_by", (n.props ->> 'answered_at')::timestamptz as
           "answered_at", (n.props ->> 'deadline')::timestamptz as "deadline", n.tags, n.owner_id, n.external_source,
           n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'question' and n.live;

create view hq."quote" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, (n.props ->> 'amount')::double precision as "amount", n.props ->> 'currency' as
           "currency", n.props -> 'lines' as "lines", n.props ->> 'body_md' as "body_md", (n.props ->> 'sent_at')::timestamptz
           as "sent_at", (n.props ->> 'valid_until')::timestamptz as "valid_until", n.tags, n.owner_id, n.external_source,
           n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'quote' and n.live;

create view hq."reasoning_trace" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.props ->> 'purpose' as "purpose", n.props ->> 'model' as "model", n.props ->> 'inputs_md'
           as "inputs_md", n.props ->> 'output_md' as "output_md", n.props ->> 'prompt_version' as "prompt_version", n.props
           ->> 'canary_id' as "canary_id", n.props ->> 'llm_call_id' as "llm_call_id", (n.props ->> 'tokens_in')::bigint as
           "tokens_in", (n.props ->> 'tokens_out')::bigint as "tokens_out", (n.props ->> 'cost_usd')::double precision as
           "cost_usd", (n.props ->> 'latency_ms')::bigint as "latency_ms", (n.props ->> 'called_at')::timestamptz as
           "called_at", n.tags, n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at,
           n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'reasoning_trace' and n.live;

create view hq."review" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, (n.props ->> 'defer_until')::timestamptz as "defer_until", n.props ->>
           'question_text' as "question_text", n.props ->> 'kind' as "kind", n.props -> 'options' as "options", n.props ->>
           'choice' as "choice", n.props ->> 'note' as "note", (n.props ->> 'expires_at')::timestamptz as "expires_at", n.props
           ->> 'decided_by' as "decided_by", (n.props ->> 'decided_at')::timestamptz as "decided_at", n.tags, n.owner_id,
           n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint,
           n.version
      from hq.nodes n
     where n.type = 'review' and n.live;

create view hq."risk" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'description_md' as "description_md", n.props ->> 'likelihood' as
           "likelihood", n.props ->> 'impact' as "impact", n.props ->> 'mitigation_md' as "mitigation_md", n.tags, n.owner_id,
           n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint,
           n.version
      from hq.nodes n
     where n.type = 'risk' and n.live;

create view hq."role" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.number, n.props ->> 'name' as "name", n.props ->> 'description' as "description", n.tags,
           n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence,
           n.taint, n.version
      from hq.nodes n
     where n.type = 'role' and n.live;

create view hq."schedule" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'name' as "name", n.props ->> 'task' as "task", n.props ->> 'cron' as
           "cron", n.props ->> 'rrule' as "rrule", (n.props ->> 'once_at')::timestamptz as "once_at", n.props ->> 'timezone' as
           "timezone", n.props ->> 'verb' as "verb", n.props -> 'arguments' as "arguments", n.props ->> 'notify' as "notify",
           (n.props ->> 'starts_at')::timestamptz as "starts_at", (n.props ->> 'ends_at')::timestamptz as "ends_at", n.tags,
           n.owner_id, n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence,
           n.taint, n.version
      from hq.nodes n
     where n.type = 'schedule' and n.live;

create view hq."shopify_order" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'order_number' as "order_number", n.props ->> 'shop' as "shop", n.props
           ->> 'financial_status' as "financial_status", n.props ->> 'fulfillment_status' as "fulfillment_status", (n.props ->>
           'total')::double precision as "total", n.props ->> 'currency' as "currency", n.props -> 'lines' as "lines", (n.props
           ->> 'ordered_at')::timestamptz as "ordered_at", n.tags, n.owner_id, n.external_source, n.external_id, n.valid_from,
           n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'shopify_order' and n.live;

create view hq."skill" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'description' as "description", n.props ->> 'category' as "category",
           (n.props ->> 'mandatory')::boolean as "mandatory", n.props ->> 'connection_type' as "connection_type", n.props ->
           'cli_config' as "cli_config", n.props -> 'commands' as "commands", n.props ->> 'instructions_md' as
           "instructions_md", n.props ->> 'path' as "path", n.props ->> 'version' as "version", n.props ->> 'license' as
           "license", n.props ->> 'compatibility' as "compatibility", n.props -> 'metadata' as "metadata", case
           jsonb_typeof(n.props -> 'allowed_tools') when 'array' then graph.texts(n.props -> 'allowed_tools') end as
           "allowed_tools", n.props -> 'files' as "files", n.tags, n.owner_id, n.external_source, n.external_id, n.valid_from,
           n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint, n.version as node_version
      from hq.nodes n
     where n.type = 'skill' and n.live;

create view hq."ssh_host" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.props ->> 'name' as "name", n.props ->> 'address' as "address", (n.props ->>
           'port')::bigint as "port", n.props ->> 'user' as "user", n.props ->> 'key' as "key", case jsonb_typeof(n.props ->
           'host_keys') when 'array' then graph.texts(n.props -> 'host_keys') end as "host_keys", n.tags, n.owner_id,
           n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint,
           n.version
      from hq.nodes n
     where n.type = 'ssh_host' and n.live;

create view hq."success_example" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'action_type' as "action_type", n.props ->> 'promotion' as "promotion",
           n.props ->> 'artifact_md' as "artifact_md", n.props ->> 'situation_md' as "situation_md", n.props ->>
           'trajectory_summary' as "trajectory_summary", n.props -> 'trajectory' as "trajectory", n.props ->> 'caveat' as
           "caveat", n.props ->> 'edit_type' as "edit_type", (n.props ->> 'diff_score')::double precision as "diff_score",
           n.props ->> 'task_id' as "task_id", (n.props ->> 'promoted_at')::timestamptz as "promoted_at", n.tags, n.owner_id,
           n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint,
           n.version
      from hq.nodes n
     where n.type = 'success_example' and n.live;

create view hq."task" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'description' as "description", n.props ->> 'priority' as "priority",
           (n.props ->> 'due')::timestamptz as "due", (n.props ->> 'estimate_minutes')::bigint as "estimate_minutes", n.props
           ->> 'acceptance_criteria' as "acceptance_criteria", (n.props ->> 'completed_at')::timestamptz as "completed_at",
           n.props ->> 'dev_repo' as "dev_repo", n.props ->> 'dev_branch' as "dev_branch", n.props ->> 'dev_commit' as
           "dev_commit", n.props ->> 'dev_pull_request_url' as "dev_pull_request_url", n.props ->> 'dev_test_command' as
           "dev_test_command", n.props ->> 'ops_system' as "ops_system", n.props ->> 'ops_runbook_url' as "ops_runbook_url",
           (n.props ->> 'ops_window_start')::timestamptz as "ops_window_start", (n.props ->> 'ops_window_end')::timestamptz as
           "ops_window_end", n.props ->> 'ops_recurrence' as "ops_recurrence", n.tags, n.owner_id, n.external_source,
           n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'task' and n.live;

create view hq."triage_decision" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'summary' as "summary", n.props -> 'proposed' as "proposed", n.props ->
           'actual' as "actual", case jsonb_typeof(n.props -> 'overridden_fields') when 'array' then graph.texts(n.props ->
           'overridden_fields') end as "overridden_fields", n.props ->> 'rationale' as "rationale", n.props ->> 'rule' as
           "rule", (n.props ->> 'decided_at')::timestamptz as "decided_at", n.tags, n.owner_id, n.external_source,
           n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'triage_decision' and n.live;

create view hq."turn_state" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'state' as "state", n.props ->> 'subject' as "subject", (n.props ->>
           'last_turn_at')::timestamptz as "last_turn_at", (n.props ->> 'turnaround_sla_hours')::bigint as
           "turnaround_sla_hours", (n.props ->> 'overdue_at')::timestamptz as "overdue_at", n.tags, n.owner_id,
           n.external_source, n.external_id, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint,
           n.version
      from hq.nodes n
     where n.type = 'turn_state' and n.live;

create view hq."webhook" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'name' as "name", n.props ->> 'url' as "url", case jsonb_typeof(n.props
           -> 'topics') when 'array' then graph.texts(n.props -> 'topics') end as "topics", (n.props ->>
           'allow_private')::boolean as "allow_private", n.tags, n.owner_id, n.external_source, n.external_id, n.valid_from,
           n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'webhook' and n.live;

create view hq."workspace" with (security_invoker = true) as
    select n.id, n.slug, n.title, n.status, n.props ->> 'path' as "path", n.props ->> 'category' as "category", n.props ->>
           'snapshot' as "snapshot", (n.props ->> 'network')::boolean as "network", case jsonb_typeof(n.props ->
           'allowed_domains') when 'array' then graph.texts(n.props -> 'allowed_domains') end as "allowed_domains", case
           jsonb_typeof(n.props -> 'blocked_domains') when 'array' then graph.texts(n.props -> 'blocked_domains') end as
           "blocked_domains", (n.props ->> 'max_processes')::bigint as "max_processes", (n.props ->> 'max_memory_mb')::bigint
           as "max_memory_mb", (n.props ->> 'max_disk_mb')::bigint as "max_disk_mb", (n.props ->>
           'max_runtime_minutes')::bigint as "max_runtime_minutes", n.tags, n.owner_id, n.external_source, n.external_id,
           n.valid_from, n.valid_to, n.created_at, n.updated_at, n.confidence, n.taint, n.version
      from hq.nodes n
     where n.type = 'workspace' and n.live;

grant select on all tables in schema hq to {reader};
revoke all on all functions in schema hq from public;
grant execute on all functions in schema hq to {reader};
