/**
 * A thread that signs in under made-up names at a steady rate, each time from another IPv6 /64, until it is told to
 * end.
 */
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const { url, cookie, csrf, perSecond } = workerData as { url: string; cookie: string; csrf: string; perSecond: number };
const agent = new Agent({ keepAlive: true });
let [sent, answered, isOver] = [0, 0, false];
parentPort!.once('message', () => {
  isOver = true;
});

function signIn(): void {
  const name = sent++;
  const headers = {
    cookie,
    origin: url,
    'content-type': 'application/x-www-form-urlencoded',
    'x-forwarded-for': `2001:db8:${(name >> 8).toString(16)}:${(name & 255).toString(16)}::1`,
  };
  request(`${url}/sign-in`, { method: 'POST', agent, headers }, (response) => {
    answered++;
    response.resume();
  })
    .on('error', () => {})
    .end(String(new URLSearchParams({ csrf, email: `nobody${name}@example.org`, password: 'wrong' })));
}

for (const begin = performance.now(); !isOver; await pause(5)) {
  while (sent < ((performance.now() - begin) / 1000) * perSecond) signIn();
}
parentPort!.postMessage({ sent, answered });
agent.destroy();
