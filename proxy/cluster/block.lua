-- Records how much of an account's month is reserved. KEYS: 1 the epoch, 2 the account. ARGV: 1 the month, 2 the amount
-- reserved before this epoch, which counts as used, 3 the amount reserved now. Returns 0 if the epoch is gone.
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local have = redis.call('HMGET', KEYS[2], 'month', 'taken')
if not have[1] or have[1] < ARGV[1] then
  redis.call('HSET', KEYS[2], 'month', ARGV[1], 'used', ARGV[2], 'taken', ARGV[3])
elseif have[1] == ARGV[1] and tonumber(have[2]) < tonumber(ARGV[3]) then
  redis.call('HSET', KEYS[2], 'taken', ARGV[3])
end
return 1
