-- Decides one request and charges it if granted, atomically.
-- KEYS: 1 the epoch, 2 the key's copy. ARGV: 1 prefix, 2 and 3 the default limits per minute and month, 4 length of the
-- minute (microseconds), 5 name of the month, 6 and 7 its start and end (ms), 8 the time (microseconds), for tests; if
-- empty, this server's clock is used.
-- Returns one of {'closed'} (no epoch, or its lease has run out), {'wait', seconds}, {'nobody'} (no such key: all are
-- copied before there is a lease), {'clock', ms} (it is another month), {'block', owner, limit, taken} (the block is
-- used up), or the verdict.
local clock = redis.call('TIME')
local time = clock[1] * 1000000 + clock[2]
local now = tonumber(ARGV[8]) or time
local ms = math.floor(now / 1000)

local epoch = redis.call('HMGET', KEYS[1], 'lease', 'opens')
if not epoch[1] or time >= tonumber(epoch[1]) then return {'closed'} end

local id, owner, kind, scopes, ends = unpack(redis.call('HMGET', KEYS[2], 'id', 'owner', 'kind', 'scopes', 'until'))
if not id or ends ~= 'never' and ms >= tonumber(ends) then return {'nobody'} end
local account_key = ARGV[1] .. 'account:' .. owner
local account = redis.call('HMGET', account_key, 'active', 'per_minute', 'per_month', 'month', 'taken', 'used')
if account[1] ~= '1' then return {'nobody'} end
if time < tonumber(epoch[2]) then return {'wait', math.ceil((tonumber(epoch[2]) - time) / 1000000)} end
if ms < tonumber(ARGV[6]) or ms >= tonumber(ARGV[7]) then return {'clock', ms} end

-- The log of the key's grants, oldest first. If the clock is set back, time stands still until it has caught up.
local span = tonumber(ARGV[4])
local log = ARGV[1] .. 'minute:' .. id
local last = redis.call('LINDEX', log, -1)
if last then now = math.max(now, tonumber(last)) end
local oldest = redis.call('LINDEX', log, 0)
while oldest and now - tonumber(oldest) >= span do
  redis.call('LPOP', log)
  oldest = redis.call('LINDEX', log, 0)
end
local count = redis.call('LLEN', log)
local per_minute = tonumber(account[2]) or tonumber(ARGV[2])
local per_month = tonumber(account[3]) or tonumber(ARGV[3])

local refused = ''
if count >= per_minute then refused = 'minute' end
local used = 0
if kind == 'live' then
  -- Never go back to an earlier month: its count would start again at zero.
  if not account[4] or account[4] < ARGV[5] then return {'block', owner, per_month, -1} end
  used = tonumber(account[6])
  if used >= per_month then
    refused = 'month'
  elseif refused == '' and used >= tonumber(account[5]) then
    return {'block', owner, per_month, tonumber(account[5])}
  end
end
if refused == '' then
  redis.call('RPUSH', log, string.format('%.0f', now))
  redis.call('PEXPIRE', log, math.ceil(span / 1000) + 1000)
  count = count + 1
  if kind == 'live' then used = redis.call('HINCRBY', account_key, 'used', 1) end
end
-- After the limit was lowered, more than the oldest grant must expire before another request is granted.
local next = redis.call('LINDEX', log, math.max(0, count - per_minute)) or false
return {'verdict', id, owner, kind, scopes, refused, per_minute, count, next and next + span - now or 0, per_month, used, ms}
