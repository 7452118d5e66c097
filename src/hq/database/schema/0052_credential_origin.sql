-- What a credential was made from: a session from a device's secret or a login link, and ends with it.
alter table ops.credentials add column origin_id uuid;
alter table ops.credentials add foreign key (tenant_id, origin_id) references ops.credentials (tenant_id, id);
create index credentials_origin on ops.credentials (tenant_id, origin_id) where origin_id is not null;

-- Sessions that were opened before: from the secret that their device had then.
update ops.credentials s
   set origin_id = (select o.id from ops.credentials o
                     where o.tenant_id = s.tenant_id and o.principal_id = s.principal_id and o.name like 'device %'
                       and o.created_at <= s.created_at
                     order by o.created_at desc
                     limit 1)
 where s.name like 'session %' and s.revoked_at is null and s.expires_at is not null;
