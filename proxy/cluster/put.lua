-- Puts a copy of a row where that is newer than the copy there is. KEYS: 1 the epoch, 2 the copy. ARGV: 1 the row's
-- version, then fields and values; version 0 is that of a key that does not exist, noted for as many ms as ARGV 2 says
-- where there is nothing. Returns 0 where the epoch is gone.
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local have = redis.call('HGET', KEYS[2], 'version')
if ARGV[1] == '0' then
  if have then return 1 end
  redis.call('HSET', KEYS[2], 'version', '0')
  redis.call('PEXPIRE', KEYS[2], ARGV[2])
  return 1
end
if have and tonumber(have) >= tonumber(ARGV[1]) then return 1 end
redis.call('HSET', KEYS[2], 'version', unpack(ARGV))
redis.call('PERSIST', KEYS[2])
return 1
