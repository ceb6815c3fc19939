-- Stores a copy of a row, unless the copy already there is as new. KEYS: 1 the epoch, 2 the copy. ARGV: 1 the row's
-- version, then fields and values. Version 0 stands for a key that does not exist; it is kept for ARGV 2 ms, and only
-- if there is no copy. Returns 0 if the epoch is gone.
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
