/**
 * How soon the report can be used on a phone: four times slower than this machine, at 1.6 Mbit/s and 150 ms, the page
 * served as it is and compressed. `npm run bench -- page-load --report FILE [--chromium FILE]`
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';

const { values } = parseArgs({
  options: { report: { type: 'string' }, chromium: { type: 'string', default: '/usr/bin/chromium' } },
});
if (values.report === undefined) {
  console.error('page-load: found no --report, expected the index.html of a snapshot');
  process.exit(2);
}
const report = readFileSync(values.report);
const compressed = gzipSync(report, { level: 9 });
const NETWORK = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8 };
/** Of the first LGA of the page: what is searched for, and seen when it is shown. */
const code = /data-code="([^"]{4,})"/.exec(report.toString())![1]!;

const browser = await chromium.launch({ executablePath: values.chromium, args: ['--no-sandbox', '--disable-gpu'] });
process.stdout.write(`${report.length} bytes, ${compressed.length} compressed\n`);
for (const isCompressed of [false, true]) {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (isCompressed) response.setHeader('content-encoding', 'gzip');
    response.end(isCompressed ? compressed : report);
  }).listen(0, '127.0.0.1');
  const page = await browser.newPage({ viewport: { width: 412, height: 823 } });
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', NETWORK);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.addInitScript(`
    window.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });`);
  const start = performance.now();
  const seconds = () => ((performance.now() - start) / 1000).toFixed(1);
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { waitUntil: 'commit' });
  await page.waitForSelector('html[data-ready]', { timeout: 120_000, state: 'attached' });
  const ready = seconds();
  const shift = await page.evaluate<number>('shift');
  await page.fill('#search', code);
  await page.press('#search', 'Enter');
  await page.waitForSelector('#score', { timeout: 120_000, state: 'attached' });
  const usable = seconds();
  await page.waitForSelector('html[data-ready=all]', { timeout: 120_000, state: 'attached' });
  const whole = seconds();
  const paint = await page.evaluate<number>('performance.getEntriesByName("first-contentful-paint")[0].startTime');
  process.stdout.write(
    `${isCompressed ? 'compressed' : 'as it is'}: first paint ${(paint / 1000).toFixed(1)} s, ready ${ready} s, ` +
      `a place found and shown ${usable} s, all views ${whole} s, shift ${shift.toFixed(3)}, ` +
      `with the rest ${(await page.evaluate<number>('shift')).toFixed(3)}\n`,
  );
  await page.close();
  server.close();
}
await browser.close();
