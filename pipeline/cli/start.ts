/**
 * What `npm start` does first: it says how long it takes, and refuses ports that `serve` would refuse after the build.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';

const { MALARIA_PORT = '8080', MALARIA_OPS_PORT = '9090' } = process.env;
for (const port of [MALARIA_PORT, MALARIA_OPS_PORT]) {
  try {
    const server = createServer().listen(Number(port), '127.0.0.1');
    await once(server, 'listening');
    server.close();
  } catch (error) {
    const message = `port ${port} cannot be used (${(error as Error).message}), expected one that is free`;
    process.stderr.write(`npm start: ${message}: MALARIA_PORT=8081 MALARIA_OPS_PORT=9091 npm start\n`);
    process.exit(2);
  }
}
process.stdout.write(
  'Making up a country, building and serving it: less than a minute on two cores, seconds the next time\n',
);
