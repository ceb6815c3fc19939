-- Begins an epoch. KEYS: 1 the epoch. ARGV: 1 microseconds until it grants anything.
local clock = redis.call('TIME')
local opens = string.format('%.0f', clock[1] * 1000000 + clock[2] + ARGV[1])
if redis.call('HSETNX', KEYS[1], 'opens', opens) == 1 then redis.call('HSET', KEYS[1], 'lease', '0') end
return 1
