import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openMailer } from '../../../../proxy/dashboard/mail/mailer.ts';

const MAIL = { to: 'ada@example.org', subject: 'A subject', text: 'For “Ọlá”:\n\nhttp://127.0.0.1/link/abc' };

test('the outbox keeps each mail as a file readable by its owner alone', async () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'malaria-mail-')), 'outbox');
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const mailer = await openMailer(`outbox:${folder}`, 'risk@example.org');
  await mailer.send(MAIL, 0);
  await mailer.send(MAIL, 0);
  const names = readdirSync(folder);
  expect(names.length).toBe(2);
  const file = join(folder, names[0]!);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8').split('\n')).toEqual([
    'From: risk@example.org',
    'To: ada@example.org',
    'Subject: A subject',
    'Date: Thu, 01 Jan 1970 00:00:00 +0000',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
    '',
    ...MAIL.text.split('\n'),
    '',
  ]);
});

test('a mail in the outbox is complete as soon as it appears', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'malaria-mail-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const mailer = await openMailer(`outbox:${folder}`, 'risk@example.org');
  let sending = true;
  // Large, so that writing it takes a while.
  const mail = { ...MAIL, text: `${'Dear Ada. '.repeat(1_000_000)}${MAIL.text}` };
  const sent = Promise.all(Array.from({ length: 5 }, () => mailer.send(mail, 0))).finally(() => {
    sending = false;
  });
  while (sending) {
    for (const name of readdirSync(folder)) {
      if (name.endsWith('.eml')) expect(readFileSync(join(folder, name), 'utf8').endsWith('/link/abc\n')).toBe(true);
    }
    await new Promise(setImmediate);
  }
  await sent;
  expect(readdirSync(folder).filter((name) => name.endsWith('.eml')).length).toBe(5);
});

test('a mail is sent by SMTP, to its one address', async () => {
  const received: string[] = [];
  const server = createServer((socket) => {
    let inData = false;
    socket.write('220 here\r\n');
    socket.setEncoding('utf8').on('data', (text: string) => {
      received.push(text);
      if (inData) {
        if (!text.endsWith('\r\n.\r\n')) return;
        inData = false;
        socket.write('250 taken\r\n');
      } else if (text.startsWith('DATA')) {
        inData = true;
        socket.write('354 go on\r\n');
      } else if (text.startsWith('QUIT')) {
        socket.end('221 bye\r\n');
      } else socket.write('250 ok\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const mailer = await openMailer(`smtp://127.0.0.1:${port}`, 'risk@example.org');
  onTestFinished(() => mailer.close());
  await mailer.send(MAIL, 0);
  const session = received.join('');
  expect(session).toContain('MAIL FROM:<risk@example.org>');
  expect(session.match(/^RCPT TO:.*$/gm)).toEqual(['RCPT TO:<ada@example.org>']);
  expect(session).toContain('Subject: A subject');
});

test('mail by smtp:// to another machine is sent only encrypted', async () => {
  const mailer = await openMailer('smtp://127.0.0.2:1', 'risk@example.org');
  onTestFinished(() => mailer.close());
  await expect(mailer.send(MAIL, 0)).rejects.toThrow();
});

test('other settings are refused without repeating them', async () => {
  for (const setting of ['', 'outbox:', 'sendmail', 'smtp:', 'http://secret@host/']) {
    await expect(openMailer(setting, 'risk@example.org')).rejects.toThrow(/^--mail: expected outbox:FOLDER or smtp:/);
  }
  await expect(openMailer('outbox:x', 'Risk <risk@example.org>')).rejects.toThrow(/--mail-from: expected an address/);
});
