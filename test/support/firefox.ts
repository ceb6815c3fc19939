import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';

/** Debian's Firefox, or the one given by FIREFOX. */
const FIREFOX = process.env.FIREFOX ?? 'firefox-esr';
const HAS_FIREFOX = spawnSync(FIREFOX, ['--version']).status === 0;

/** Title of a test that needs Firefox; states why the test is skipped if there is none. */
export const needsFirefox = (title: string) =>
  HAS_FIREFOX ? title : `${title} (skipped: no ${FIREFOX}; install firefox-esr or set FIREFOX)`;
export const skipWithoutFirefox = !HAS_FIREFOX;

const started: { child: ChildProcess; profile: string }[] = [];
afterAll(async () => {
  for (const { child, profile } of started) {
    const closed = new Promise((resolve) => child.once('close', resolve));
    if (child.exitCode === null && child.kill()) await closed;
    rmSync(profile, { recursive: true, force: true });
  }
});

/** A page in Firefox, driven by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/). */
export interface FirefoxPage {
  /** The value of an expression: text, number or boolean. */
  evaluate(expression: string): Promise<unknown>;
  /** Presses and releases a key: a character, or one of WebDriver's code points such as End's U+E010. */
  press(key: string): Promise<void>;
  /** Errors that the page logged. */
  pageErrors: string[];
}

/** Opens a file from disk in a new profile. */
export async function openInFirefox(file: string): Promise<FirefoxPage> {
  const profile = mkdtempSync(path.join(tmpdir(), 'firefox-'));
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0', 'about:blank'];
  const child = spawn(FIREFOX, args, { env: { ...process.env, HOME: profile }, stdio: ['ignore', 'ignore', 'pipe'] });
  started.push({ child, profile });
  const socket = new WebSocket(`${await listening(child)}/session`);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error('Firefox refused the WebSocket connection')));
  });
  const pageErrors: string[] = [];
  const waiting = new Map<number, { resolve: (result: any) => void; reject: (error: Error) => void }>();
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(data);
    if (message.method === 'log.entryAdded' && message.params.level === 'error') pageErrors.push(message.params.text);
    const pending = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.type === 'success') pending?.resolve(message.result);
    if (message.type === 'error') pending?.reject(new Error(message.message));
  });
  let id = 0;
  const send = (method: string, params: object) =>
    new Promise<any>((resolve, reject) => {
      id += 1;
      waiting.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, method, params }));
    });
  await send('session.new', { capabilities: {} });
  await send('session.subscribe', { events: ['log.entryAdded'] });
  const { contexts } = await send('browsingContext.getTree', {});
  const context: string = contexts[0].context;
  await send('browsingContext.navigate', { context, url: `file://${file}`, wait: 'complete' });
  return {
    pageErrors,
    async evaluate(expression) {
      const params = { expression, target: { context }, awaitPromise: true };
      const { type, result, exceptionDetails } = await send('script.evaluate', params);
      if (type === 'exception') throw new Error(exceptionDetails.text);
      return result.value;
    },
    async press(key) {
      const actions = ['keyDown', 'keyUp'].map((type) => ({ type, value: key }));
      await send('input.performActions', { context, actions: [{ type: 'key', id: 'keyboard', actions }] });
    },
  };
}

/** The address on which Firefox reports that it listens. */
function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stderr!.on('data', (data) => {
      output += data;
      const address = /WebDriver BiDi listening on (ws:\S+)/.exec(output)?.[1];
      if (address) resolve(address);
    });
    child.on('error', reject);
    child.on('close', (code) => reject(new Error(`Firefox exited with code ${code}: ${output.slice(-500)}`)));
  });
}
