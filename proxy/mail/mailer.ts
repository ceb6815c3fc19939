import { randomBytes } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { UsageError } from '../errors.ts';

/** A mail of plain text. `to` is an address as `toEmail` lets through, `subject` fixed text of ours. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
}

export interface Mailer {
  /** Where mails wait for someone to pass them on; null where they are sent. */
  outbox: string | null;
  send(mail: Mail, now: number): Promise<void>;
  close(): void;
}

/**
 * Where `setting` has mails go: `outbox:FOLDER` keeps each as a file, `smtp://…` and `smtps://…` send it. By smtp://
 * only encrypted (STARTTLS), but to this very machine.
 * @throws UsageError where it is neither, or `from` is no address.
 */
export function openMailer(setting: string, from: string): Mailer {
  if (!/^[^\s<>@]+@[^\s<>@]+$/.test(from)) throw new UsageError(`--mail-from: expected an address, found '${from}'`);
  const folder = /^outbox:(.+)$/.exec(setting)?.[1];
  if (folder !== undefined) return openOutbox(folder, from);
  const url = URL.parse(setting);
  // The value itself may hold a password, so it is not repeated.
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '') {
    throw new UsageError('--mail: expected outbox:FOLDER or smtp://user:password@host:port');
  }
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  const transport = createTransport({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (url.protocol === 'smtps:' ? 465 : 587),
    secure: url.protocol === 'smtps:',
    requireTLS: url.protocol === 'smtp:' && !isHere,
    ...(url.username === ''
      ? {}
      : { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }),
    disableFileAccess: true,
    disableUrlAccess: true,
    connectionTimeout: 10_000,
    socketTimeout: 20_000,
  });
  return {
    outbox: null,
    async send({ to, subject, text }) {
      // As an object an address is taken as it is, and not read as a list of them.
      await transport.sendMail({ from: { name: '', address: from }, to: { name: '', address: to }, subject, text });
    },
    close: () => transport.close(),
  };
}

/** Mails as files, in the form that mail programs open, for their owner alone: they hold links that open accounts. */
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
      // Under its own name once it is whole: somebody may be waiting to pass it on.
      const part = join(folder, `${name}.part`);
      await writeFile(part, `${headers.join('\n')}\n\n${text}\n`, { mode: 0o600, flag: 'wx' });
      await rename(part, join(folder, name));
    },
    close() {},
  };
}
