-- Written by `scripts/sql_views.py` from the folders of `shipped`; do not edit.

-- The skills that come with hq, whether a company has a node of them or not; `looks`: nothing they do changes anything.
create or replace function ops.shipped_skills() returns table (slug text, title text, description text, looks boolean)
    language sql immutable
    set search_path = pg_catalog, pg_temp
begin atomic
    values
        ('backup-health', 'Backup health', 'Check that the newest backup of a machine is recent enough, from Kopia, restic or Borg snapshots or from the files in a directory. Use after an incident, before a risky change, or as a regular check.', true),
        ('container-health', 'Container health', 'Check that the Docker or Podman containers of a machine are running, healthy and not restarting over and over. Use when a service in a container misbehaves, after a deployment, or as a regular check.', true),
        ('disk-health', 'Disk health', 'Check how full the disks of a machine are, in bytes and in files, and whether they report themselves healthy (SMART). Use when a server is slow or failing to write, before a large job, or as a regular check.', true),
        ('service-health', 'Service health', 'Check from a machine that addresses can be reached, that services run, and that TLS certificates do not expire soon. Use when something is said to be down, after a deployment, or as a regular infrastructure check.', true),
        ('system-health', 'System health', 'Check how a machine is, that is how much memory is left, how busy it is for the processors it has, and since when it runs. Use when a server is slow or its health is asked for, or as a regular infrastructure check.', true);
end;
revoke all on function ops.shipped_skills from public;
grant execute on function ops.shipped_skills to {app};
