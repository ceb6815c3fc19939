/** Where `serve` has the API and the dashboard: its options, and those of commands that print their addresses. */
import type { Command } from 'commander';
import { UsageError } from '../../../pipeline/lib/errors.ts';
import { listenUrl } from '../../server/listen-url.ts';
import type { Settings } from '../../server/server.ts';
import { envOption, parseOrigin, wholeNumber } from './shared.ts';

export const portOption = (flags: string, description: string) =>
  envOption(flags, `${description}; 0 for any free port`).argParser(wholeNumber(0, 65_535));
const urlOption = (flags: string, description: string) =>
  envOption(flags, description).argParser(parseOrigin).default(undefined, 'its own address');
const hostOption = () => envOption('--host <host>', 'address to listen on').default('127.0.0.1');
const apiOptions = () => [
  portOption('--port <n>', 'port of the API').default(8080),
  urlOption('--api-url <url>', 'URL at which clients reach the API, as shown in examples'),
];
const dashboardOptions = () => [
  portOption('--dashboard-port <n>', 'port of the dashboard, without which there is none'),
  urlOption('--dashboard-url <url>', 'URL at which people reach the dashboard; used in links and cookies'),
];
export const addressOptions = () => [hostOption(), ...apiOptions(), ...dashboardOptions()];

export type ApiAddress = Pick<Settings, 'host' | 'port' | 'apiUrl'>;
export function addApiAddress(command: Command): void {
  for (const option of [hostOption(), ...apiOptions()]) command.addOption(option);
}
export const apiAddress = ({ host, port, apiUrl }: ApiAddress): string => apiUrl ?? listenUrl(host, port);

export type DashboardAddress = Pick<Settings, 'host' | 'dashboardPort' | 'dashboardUrl'>;
export function addDashboardAddress(command: Command): void {
  for (const option of [hostOption(), ...dashboardOptions()]) command.addOption(option);
}
/** @throws UsageError if the settings do not say where browsers reach it */
export function dashboardAddress({ host, dashboardPort, dashboardUrl }: DashboardAddress): string {
  if (dashboardUrl !== undefined) return dashboardUrl;
  if (['0.0.0.0', '::'].includes(host))
    throw new UsageError(`--dashboard-url: required with --host ${host}, which browsers cannot reach`);
  if (dashboardPort === undefined)
    throw new UsageError('expected --dashboard-port or --dashboard-url as `serve` has it: the link leads there');
  return listenUrl(host, dashboardPort);
}
