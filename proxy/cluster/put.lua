-- Stores a copy of a row, unless the stored copy is as new or newer. KEYS: 1 the epoch, 2 the copy. ARGV: 1 the row's
-- version, then fields and values. Returns 0 if the epoch is gone.
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local have = redis.call('HGET', KEYS[2], 'version')
if not have or tonumber(have) < tonumber(ARGV[1]) then redis.call('HSET', KEYS[2], 'version', unpack(ARGV)) end
return 1
