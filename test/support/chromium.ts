import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll } from 'vitest';

/** The system's browser: Debian's, or the one given by CHROMIUM. */
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const HAS_CHROMIUM = existsSync(CHROMIUM);

/** Title of a test that needs Chromium; states why the test is skipped if there is none. */
export const needsChromium = (title: string) =>
  HAS_CHROMIUM ? title : `${title} (skipped: no ${CHROMIUM}; install chromium or set CHROMIUM)`;
export const skipWithoutChromium = !HAS_CHROMIUM;

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
let browser: Browser | null = null;
afterAll(async () => await browser?.close());

/** A page opened from disk, and everything that went wrong in it: errors, policy violations, network requests. */
export interface Opened {
  page: Page;
  pageErrors: string[];
}

/** A new profile in the browser that a test file shares. */
export async function openProfile(options: BrowserContextOptions): Promise<BrowserContext> {
  browser ??= await chromium.launch({ executablePath: CHROMIUM, headless: true, args: FLAGS });
  return browser.newContext(options);
}

/** Opens a file from disk in a new profile. */
export async function openFile(file: string, viewport = { width: 1280, height: 900 }): Promise<Opened> {
  const page = await (await openProfile({ viewport })).newPage();
  const pageErrors: string[] = [];
  page.on('pageerror', (error) => pageErrors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') pageErrors.push(message.text());
  });
  page.on('request', (request) => {
    if (!/^(file|data):/.test(request.url())) pageErrors.push(`requested ${request.url()}`);
  });
  await page.goto(`file://${file}`);
  return { page, pageErrors };
}
