/** As much of S3 as the proxy asks of it: GET of an object, signed, with If-None-Match. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';

export interface S3Server {
  endpoint: string;
  /** Objects by bucket and key, as in the path of a request. */
  objects: Map<string, Buffer>;
  /** What was asked for, oldest first. */
  asked: string[];
  /** Puts all files of `folder` below `key`. */
  upload(folder: string, key: string): void;
  /** How the next answers go wrong: as long as it says so. */
  fault(wrong: ((path: string, response: ServerResponse) => boolean) | null): void;
  close(): Promise<void>;
}

const SIGNED =
  /^AWS4-HMAC-SHA256 Credential=reader\/\d{8}\/[\w-]+\/s3\/aws4_request, SignedHeaders=[\w;-]*host[\w;-]*, Signature=[0-9a-f]{64}$/;

export async function startS3(): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const asked: string[] = [];
  let wrong: ((path: string, response: ServerResponse) => boolean) | null = null;
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url!, 'http://s3').pathname.slice(1));
    asked.push(path);
    if (wrong?.(path, response)) return;
    const refuse = (status: number, code: string) =>
      response
        .writeHead(status, { 'content-type': 'application/xml' })
        .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
    if (!SIGNED.test(request.headers.authorization ?? '')) {
      refuse(403, 'AccessDenied');
      return;
    }
    const body = objects.get(path);
    if (!body) {
      refuse(404, 'NoSuchKey');
      return;
    }
    const etag = `"${createHash('md5').update(body).digest('hex')}"`;
    if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.writeHead(200, { etag, 'content-length': body.length }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    objects,
    asked,
    upload(folder, key) {
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const file = join(entry.parentPath, entry.name);
        objects.set(`${key}${file.slice(folder.length)}`, readFileSync(file));
      }
    },
    fault(how) {
      wrong = how;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
