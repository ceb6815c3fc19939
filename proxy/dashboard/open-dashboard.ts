import type { FastifyInstance } from 'fastify';
import { HOUR_MS } from '../../pipeline/lib/clock.ts';
import { errorLine } from '../../pipeline/lib/errors.ts';
import { Directory } from '../store/people/directory.ts';
import type { Role } from '../store/row-types.ts';
import { buildDashboard } from './build-dashboard.ts';
import type { Services } from './kit/services.ts';
import { openMailer } from './mail/mailer.ts';
import { sendScheduledMails } from './scheduled-mails.ts';

/** The operator's settings for the dashboard. */
export interface DashboardSettings {
  /** URL at which people reach it; the address it listens on if not given. */
  dashboardUrl?: string;
  /** Address of the report; without it the dashboard does not mention one. */
  reportUrl?: string;
  mail: string;
  mailFrom: string;
  trustProxy: readonly string[];
  /** Prefix of new keys. */
  brand: string;
  /** Roles that must use two-step sign-in, in addition to the service team. */
  twoStep: readonly Role[];
}

type SharedServices = Omit<
  Services,
  | 'directory'
  | 'attempts'
  | 'usage'
  | 'mailer'
  | 'keyPrefix'
  | 'dashboardUrl'
  | 'reportUrl'
  | 'twoStepRoles'
  | 'runAfterAnswer'
>;

/** How often to check whether notices are due. */
const NOTICES_INTERVAL_MS = HOUR_MS;

export interface Dashboard {
  app: FastifyInstance;
  /** Call this with the address once the dashboard listens. */
  listensAt(url: string): void;
  /** Call this after the last request. */
  close(): Promise<void>;
}

/**
 * The dashboard on the API's store, not listening yet.
 * @throws UsageError if the mail settings are invalid.
 */
export async function openDashboard(settings: DashboardSettings, services: SharedServices): Promise<Dashboard> {
  let url = settings.dashboardUrl ?? '';
  const { protocol, hostname } = URL.parse(url) ?? {};
  if (protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname!)) {
    services.logLine(`dashboard: passwords and keys travel to ${url} in the clear; put TLS in front and use https://`);
  }
  if (protocol === 'https:' && settings.trustProxy.length === 0) {
    services.logLine('dashboard: behind a web server, all visitors share its address and limits without --trust-proxy');
  }
  const mailer = await openMailer(settings.mail, settings.mailFrom);
  const pending = new Set<Promise<void>>();
  const runAfterAnswer = (work: () => Promise<void>) => {
    const done = new Promise<void>((resolve) => setImmediate(resolve))
      .then(work)
      .catch((error) => services.logLine(`mail not sent: ${errorLine(error)}`, 'mail'))
      .finally(() => pending.delete(done));
    pending.add(done);
  };
  const pageServices: Services = {
    ...services,
    usage: services.accounts.usage,
    attempts: services.accounts.attempts,
    directory: new Directory(services.accounts.database),
    mailer,
    keyPrefix: settings.brand,
    dashboardUrl: () => url,
    reportUrl: settings.reportUrl ?? null,
    twoStepRoles: settings.twoStep,
    runAfterAnswer,
  };
  const sendDueMails = () => runAfterAnswer(() => sendScheduledMails(pageServices));
  const noticeTimer = setInterval(sendDueMails, NOTICES_INTERVAL_MS).unref();
  return {
    app: await buildDashboard(pageServices, settings.trustProxy),
    listensAt(address) {
      if (url === '') url = address;
      sendDueMails();
    },
    async close() {
      clearInterval(noticeTimer);
      await Promise.all(pending);
      mailer.close();
    },
  };
}
