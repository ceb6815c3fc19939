-- `redis_version` is the version that Redis is known to have; proxies copy whatever it lacks (cluster/mirror.ts).
ALTER TABLE accounts RENAME COLUMN told TO redis_version;
ALTER TABLE keys RENAME COLUMN told TO redis_version;
ALTER INDEX accounts_untold RENAME TO accounts_outstanding;
ALTER INDEX keys_untold RENAME TO keys_outstanding;
