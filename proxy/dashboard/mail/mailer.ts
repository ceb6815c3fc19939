import { randomBytes } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../../pipeline/lib/errors.ts';

/** A plain-text mail. `to` is an address that `parseEmail` has accepted; `subject` is fixed text. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
}

export interface Mailer {
  /** The folder in which mails wait to be passed on by hand; null if they are sent. */
  outbox: string | null;
  send(mail: Mail, now: number): Promise<void>;
  close(): void;
}

/**
 * A mailer for `setting`: `outbox:FOLDER` keeps each mail as a file, `smtp://…` and `smtps://…` send it. smtp://
 * requires STARTTLS, except to this machine.
 * @throws UsageError if `setting` is none of these, or `from` is not an address.
 */
export async function openMailer(setting: string, from: string): Promise<Mailer> {
  if (!/^[^\s<>@]+@[^\s<>@]+$/.test(from)) throw new UsageError(`--mail-from: expected an address, found '${from}'`);
  const folder = /^outbox:(.+)$/.exec(setting)?.[1];
  if (folder !== undefined) return openOutbox(folder, from);
  const url = URL.parse(setting);
  // The value itself may contain a password, so the message does not repeat it.
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '') {
    throw new UsageError('--mail: expected outbox:FOLDER or smtp://user:password@host:port');
  }
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  // Loaded only here: an outbox does not need it, nor do the commands that show the defaults.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (url.protocol === 'smtps:' ? 465 : 587),
    secure: url.protocol === 'smtps:',
    requireTLS: url.protocol === 'smtp:' && !isLocal,
    ...(url.username === ''
      ? {}
      : { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }),
    disableFileAccess: true,
    disableUrlAccess: true,
    // Whoever invites somebody waits for it, in less time than a web server in front gives a page.
    dnsTimeout: 10_000,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
  });
  return {
    outbox: null,
    async send({ to, subject, text }) {
      // As an object, an address is taken literally and not parsed as a list.
      await transport.sendMail({ from: { name: '', address: from }, to: { name: '', address: to }, subject, text });
    },
    close: () => transport.close(),
  };
}

/** Keeps mails as files for mail programs, readable by their owner alone: they contain links that open accounts. */
function openOutbox(folder: string, from: string): Mailer {
  return {
    outbox: folder,
    async send({ to, subject, text }, now) {
      const date = new Date(now);
      const headers = [
        `From: ${from}`,
        `To: ${to}`,
        `Subject: ${subject}`,
        `Date: ${date.toUTCString().replace('GMT', '+0000')}`,
        'MIME-Version: 1.0',
        'Content-Type: text/plain; charset=utf-8',
        'Content-Transfer-Encoding: 8bit',
      ];
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const name = `${date.toISOString().replaceAll(':', '-')}-${randomBytes(4).toString('hex')}.eml`;
      // The file gets its final name only once it is complete: somebody may be waiting to pass it on.
      const unfinishedFile = join(folder, `${name}.part`);
      await writeFile(unfinishedFile, `${headers.join('\n')}\n\n${text}\n`, { mode: 0o600, flag: 'wx' });
      await rename(unfinishedFile, join(folder, name));
    },
    close() {},
  };
}
