-- A session's credential is ended when somebody takes the session up and when it is over. Without this every credential there
-- ever was is looked at for that, and each session leaves one.
create index credentials_live on ops.credentials (tenant_id, principal_id, name) where revoked_at is null;
