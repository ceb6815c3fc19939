-- Extends the lease. KEYS: 1 the epoch. ARGV: 1 until when (microseconds of this server's clock), 0 to only ask. Always
-- writes, since a server that has become a replica refuses to. Returns {time, end of the lease, start of grants}, or
-- false if the epoch is gone.
local clock = redis.call('TIME')
local epoch = redis.call('HMGET', KEYS[1], 'lease', 'opens')
local lease = epoch[1]
if not lease then return false end
local longer = math.max(tonumber(lease), tonumber(ARGV[1]))
redis.call('HSET', KEYS[1], 'lease', string.format('%.0f', longer))
return {clock[1] * 1000000 + clock[2], longer, tonumber(epoch[2])}
