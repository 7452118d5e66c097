-- A step is written by a statement that takes the session's tenant and id from the session itself, and sessions are never deleted: to
-- look for it once more locked its row and wrote that down, for every step.
alter table ops.journal drop constraint journal_tenant_id_session_id_fkey;
