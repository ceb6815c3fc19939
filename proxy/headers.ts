/** Names and values in turn, as Node's `writeHead` takes them without a look at each: `['etag', '"x"', …]`. */
export type Headers = readonly string[];
