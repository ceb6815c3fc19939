/** Names of keys in Redis. They start with the epoch's token, so nothing from another epoch is ever read. */
export const prefixOf = (token: string) => `malaria:${token}:`;
export const epochKey = (token: string) => `${prefixOf(token)}epoch`;
export const keyKey = (token: string, hash: Buffer) => `${prefixOf(token)}key:${hash.toString('hex')}`;
export const accountKey = (token: string, id: string) => `${prefixOf(token)}account:${id}`;
