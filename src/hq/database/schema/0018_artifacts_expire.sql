-- Artifacts are kept for a time. Bytes that something else needs too, a skill's file or what a write replaced, stay.
alter table ops.blobs add column held boolean not null default true;
alter table ops.blobs alter column held set default false;
grant update (held) on ops.blobs to {app};
