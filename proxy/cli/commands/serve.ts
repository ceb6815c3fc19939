import { type Command, InvalidArgumentError, Option } from 'commander';
import ipaddr from 'ipaddr.js';
import { DEFAULT_PER_MINUTE, DEFAULT_PER_MONTH } from '../../../pipeline/contract/limits.ts';
import { countryWords } from '../../../pipeline/contract/words.ts';
import { systemClock } from '../../../pipeline/lib/clock.ts';
import { errorLine } from '../../../pipeline/lib/errors.ts';
import { limitKeylessLines, openLog } from '../../server/log.ts';
import { type Level, openReports } from '../../server/reports.ts';
import type { RunningServer, Settings } from '../../server/server.ts';
import { exampleAddress } from '../../snapshot/snapshot.ts';
import { curlCommand } from '../../store/key-format.ts';
import { ROLES } from '../../store/people/person-rules.ts';
import { addressOptions, dashboardAddress, portOption } from './addresses.ts';
import { createFirstKey } from './first-key.ts';
import { brandOption } from './keys.ts';
import { addStoreOptions, envOption, parseOrigin, print, type StoreOptions, wholeNumber } from './shared.ts';

/** How long the reader of the log has, once everything is closed, to read its last lines. */
const LAST_LINES_WAIT_MS = 1000;

/** Writes a line to the log, or to standard error if there is none. */
type WriteLine = (line: string, level: Level) => void;

interface ServeOptions extends Settings, StoreOptions {
  firstKey?: boolean;
  log?: boolean;
}

export function addCommands(program: Command): void {
  const command = addStoreOptions(program.command('serve')).description('serve a snapshot to clients with an API key');
  for (const option of [
    envOption(
      '--snapshot <location>',
      'a snapshot, or a link to one that is checked for newer versions; or s3://BUCKET/PREFIX',
    ).default('build/current'),
    envOption('--snapshot-copies <dir>', 'folder for copies of snapshots from s3://, used by this proxy alone').default(
      'build/copies',
    ),
    switchOption('--fall-back', 'while the published snapshot is damaged, serve the version that was current before'),
    ...addressOptions(),
    portOption('--ops-port <n>', 'port for health and metrics').default(9090),
    envOption('--per-minute <n>', 'requests per minute for each key, unless its owner has a limit of its own')
      .argParser(wholeNumber(1))
      .default(DEFAULT_PER_MINUTE),
    envOption('--per-month <n>', 'requests per month for all live keys of an owner, unless it has a limit of its own')
      .argParser(wholeNumber(1))
      .default(DEFAULT_PER_MONTH),
    envOption('--cors-origin <origin>', 'allow pages from this origin to call the API; may be repeated')
      .argParser(listParser(parseOrigin))
      .default([], 'none'),
    brandOption(),
    envOption(
      '--report-url <url>',
      'where people of the dashboard find the report of the snapshot, to which it links',
    ).argParser(parseWebAddress),
    envOption('--mail <where>', "the dashboard's mail: outbox:FOLDER or smtp://user:password@host:port").default(
      'outbox:build/outbox',
    ),
    envOption('--mail-from <address>', 'sender of that mail').default('malaria-risk@localhost'),
    envOption('--trust-proxy <network>', 'trust X-Forwarded-For from these proxies, on the dashboard; may be repeated')
      .argParser(listParser(parseNetwork))
      .default([], 'none'),
    envOption('--two-step <role>', 'require two-step sign-in for this role, as for the service team; may be repeated')
      .argParser(listParser(parseRole))
      .default([], 'none'),
    new Option(
      '--first-key',
      "create and print a test key for the organisation 'first'; organisation and store are made if missing",
    ),
    switchOption('--log', 'log requests as JSON lines on standard output, other events on standard error'),
  ]) {
    command.addOption(option);
  }
  command.action(serve);
}

/** An option that is on or off. In the environment only `true` and `false` are accepted. */
function switchOption(flags: string, description: string): Option {
  const option = envOption(`${flags} [true|false]`, description).preset('true');
  return option.argParser((text) => {
    if (text === 'true' || text === 'false') return text === 'true';
    throw new InvalidArgumentError('expected true or false');
  });
}

/** A parser for an option that may be repeated or have several values, separated by commas. */
const listParser = (check: (text: string) => string) => (text: string, earlierValues: string[]) => [
  ...earlierValues,
  ...text.split(',').map(check),
];

/** A parser for addresses of web pages. */
function parseWebAddress(text: string): string {
  const url = URL.parse(text.trim());
  if (url !== null && ['http:', 'https:'].includes(url.protocol) && url.username === '') return url.href;
  throw new InvalidArgumentError('expected the address of a page such as https://example.org/report/');
}

async function serve(options: ServeOptions): Promise<void> {
  // Links in mails lead to it.
  if (options.dashboardPort !== undefined) dashboardAddress(options);
  const eventLog = openLog(process.stderr, () => {});
  const writeLine = (line: string, level: Level) => {
    if (options.log) eventLog[level](line);
    else console.error(`malaria-proxy: ${line}`);
  };
  const reports = openReports(writeLine);
  const { report } = reports;
  // If the disk is full or the log is no longer read, lines are lost but requests continue.
  const accessLog = openLog(process.stdout, () =>
    report('standard output: log lines are lost, because nobody reads them', 'log'),
  );
  process.stdout.on('error', (error) => report(`standard output: log lines are lost: ${errorLine(error)}`, 'log'));
  process.stderr.on('error', () => {});
  // Loaded only here, so that other commands need not wait for the whole server to load.
  const { startServer } = await import('../../server/server.ts');
  const server = await startServer({
    ...options,
    mayCreate: options.firstKey === true,
    log: options.log ? limitKeylessLines((record) => accessLog.info(record), report) : null,
    reports,
    giveUp: (line) => {
      writeLine(line, 'error');
      process.exitCode = 1;
      stop(server, writeLine);
    },
  });
  stopOnSignal(server, writeLine);
  try {
    const exampleKey = options.firstKey
      ? await createFirstKey(server.store, options.brand, systemClock.wallMs())
      : null;
    announce(server, exampleKey, options, report);
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** Reports what is served and where: on standard output, or in the log if there is one. The key is never logged. */
function announce(
  server: RunningServer,
  key: string | null,
  { json, log }: ServeOptions,
  report: (line: string) => void,
): void {
  const { model_version, coverage, territory } = server.current();
  if (json) {
    const dashboard = server.dashboardUrl === null ? {} : { dashboard_url: server.dashboardUrl };
    print(JSON.stringify({ url: server.url, ops_url: server.opsUrl, ...dashboard, model_version, key }));
    return;
  }
  const writeStatus = log ? report : print;
  writeStatus(
    `serving ${model_version}: ${coverage.states.length} ${countryWords(territory).state.many}, ${coverage.first_estimated} to ${coverage.last_estimated}, forecast to ${coverage.last_forecast}`,
  );
  writeStatus(`API at ${server.url}, health and metrics at ${server.opsUrl}`);
  if (server.dashboardUrl !== null) writeStatus(`dashboard at ${server.dashboardUrl}`);
  if (key === null) return;
  const writeExample = log ? (text: string) => console.error(text) : print;
  writeExample(`\nTry it:\n\n  ${curlCommand(key, server.url, exampleAddress(server.current(), 'risk_scores'))}\n`);
}

function stop(server: RunningServer, writeLine: WriteLine): void {
  server
    .close()
    .catch((error) => {
      writeLine(`stopping failed: ${error.message}`, 'error');
      process.exitCode = 1;
    })
    // By then only log lines remain, and they may never be read.
    .finally(() => setTimeout(() => process.exit(), LAST_LINES_WAIT_MS).unref());
}

/** The first SIGTERM or SIGINT stops gracefully, a second one at once. */
function stopOnSignal(server: RunningServer, writeLine: WriteLine): void {
  let isStopping = false;
  const stopOnce = () => {
    if (isStopping) process.exit(1);
    isStopping = true;
    writeLine('stopping: finishing requests in flight', 'info');
    stop(server, writeLine);
  };
  process.on('SIGTERM', stopOnce);
  process.on('SIGINT', stopOnce);
}

function parseRole(text: string): string {
  if (ROLES.some((role) => role === text.trim())) return text.trim();
  throw new InvalidArgumentError(`expected one or more of ${ROLES.join(', ')}`);
}

function parseNetwork(text: string): string {
  if (ipaddr.isValid(text.trim()) || ipaddr.isValidCIDR(text.trim())) return text.trim();
  throw new InvalidArgumentError('expected an address or network such as 10.0.0.0/8');
}
