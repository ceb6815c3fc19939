-- Extends the lease. KEYS: 1 the epoch. ARGV: 1 the new end (microseconds of this server's clock), which also means
-- that all keys have been copied; 0 only reads the state. Always writes, since a server that has become a replica
-- refuses to. Returns {time, end of the lease, start of grants, whether all keys have been copied}, or false if the
-- epoch is gone.
local clock = redis.call('TIME')
local epoch = redis.call('HMGET', KEYS[1], 'lease', 'opens', 'complete')
local lease = epoch[1]
if not lease then return false end
local longer = math.max(tonumber(lease), tonumber(ARGV[1]))
redis.call('HSET', KEYS[1], 'lease', string.format('%.0f', longer))
if ARGV[1] ~= '0' then redis.call('HSET', KEYS[1], 'complete', '1') end
return {clock[1] * 1000000 + clock[2], longer, tonumber(epoch[2]), tonumber(epoch[3] or 0)}
