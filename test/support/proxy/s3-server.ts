/**
 * The part of S3 that proxies and `publish --to` need: signed GET and PUT of an object. GET supports If-None-Match; PUT
 * checks the bytes against their SHA-256 and supports If-Match and If-None-Match. `reader` may only read.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';

export interface S3Server {
  endpoint: string;
  /** Objects by bucket and key, as in the path of a request. */
  objects: Map<string, Buffer>;
  /** Paths of all requests, oldest first. */
  requests: string[];
  /** Paths of all objects put, oldest first. */
  put: string[];
  /** Puts all files of `folder` below `key`. */
  upload(folder: string, key: string): void;
  /** Sets a function that spoils answers: it returns whether it has answered the request itself. */
  fault(wrong: ((path: string, response: ServerResponse) => boolean) | null): void;
  close(): Promise<void>;
}

const SIGNED =
  /^AWS4-HMAC-SHA256 Credential=(reader|writer)\/\d{8}\/[\w-]+\/s3\/aws4_request, SignedHeaders=[\w;-]*host[\w;-]*, Signature=[0-9a-f]{64}$/;

const etagOf = (body: Buffer) => `"${createHash('md5').update(body).digest('hex')}"`;

export async function startS3(): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const requests: string[] = [];
  const puts: string[] = [];
  let wrong: ((path: string, response: ServerResponse) => boolean) | null = null;
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url!, 'http://s3').pathname.slice(1));
    requests.push(path);
    if (wrong?.(path, response)) return;
    const refuse = (status: number, code: string) =>
      response
        .writeHead(status, { 'content-type': 'application/xml' })
        .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
    const who = SIGNED.exec(request.headers.authorization ?? '')?.[1];
    if (who === undefined || (request.method === 'PUT' && who !== 'writer')) {
      refuse(403, 'AccessDenied');
      return;
    }
    if (request.method === 'PUT') {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks);
        const there = objects.get(path);
        const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers;
        const sum = request.headers['x-amz-checksum-sha256'];
        if (sum !== createHash('sha256').update(body).digest('base64')) refuse(400, 'BadDigest');
        else if ((ifMatch && (!there || etagOf(there) !== ifMatch)) || (ifNoneMatch === '*' && there))
          refuse(412, 'PreconditionFailed');
        else {
          objects.set(path, body);
          puts.push(path);
          response.writeHead(200, { etag: etagOf(body) }).end();
        }
      });
      return;
    }
    const body = objects.get(path);
    if (!body) {
      refuse(404, 'NoSuchKey');
      return;
    }
    const etag = etagOf(body);
    if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.writeHead(200, { etag, 'content-length': body.length }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    objects,
    requests,
    put: puts,
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
