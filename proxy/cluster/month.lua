-- The month being counted for an account, and how much of it is used. KEYS: 1 the account.
return redis.call('HMGET', KEYS[1], 'month', 'used')
