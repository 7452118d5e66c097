-- Whether a provider has ever answered with its key. One that was tested and never did is nothing to wait for.
alter table ops.mind_doors add column answered_at timestamptz;
alter table ops.mind_doors add column unproven boolean not null default false;
