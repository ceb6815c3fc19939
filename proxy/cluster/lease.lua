-- Lengthens the lease. KEYS: 1 the epoch. ARGV: 1 until when (microseconds of this server's clock), 0 to ask only. Writes
-- in any case, which a server that has been made a replica refuses. Returns {time, lease, when it
-- begins to grant}, or false where the epoch is gone.
local clock = redis.call('TIME')
local epoch = redis.call('HMGET', KEYS[1], 'lease', 'opens')
local lease = epoch[1]
if not lease then return false end
local longer = math.max(tonumber(lease), tonumber(ARGV[1]))
redis.call('HSET', KEYS[1], 'lease', string.format('%.0f', longer))
return {clock[1] * 1000000 + clock[2], longer, tonumber(epoch[2])}
