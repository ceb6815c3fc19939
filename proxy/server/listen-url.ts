/** Address of what listens on `host` and `port`, for whoever is on the same machine. */
export const listenUrl = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
