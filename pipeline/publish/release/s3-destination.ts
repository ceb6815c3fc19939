/** Versions in object storage (S3 and what speaks as it does), laid out as the proxies read them. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { Manifest } from '../../contract/manifest.ts';
import { placeOf, RELEASES, versionAt } from '../../contract/published.ts';
import { sha256 } from '../../engine/hash.ts';
import { TryAgain, UsageError } from '../../errors.ts';
import { openSnapshot, type Snapshot } from '../snapshot/read.ts';
import type { Destination } from './destination.ts';

const AT_ONCE = 16;
/** What a review reads of a version, besides its manifest. */
const REVIEWED = /^(?:model-card\.json|findings\.json|tables\/.*\.parquet)$/;

/**
 * Does `work` with a bucket's prefix. Who asks, and where, comes from the environment as for all of AWS's tools. A file
 * is put with its SHA-256, so that the storage refuses other bytes; a manifest after all its files; `current` last, and
 * only if it is still what was read, where the storage knows conditions.
 */
export async function withBucket<T>(
  out: string,
  url: string,
  { bucket, prefix }: { bucket: string; prefix: string },
  work: (place: Destination) => Promise<T>,
): Promise<T> {
  const client = openClient();
  const copies = await mkdtemp(path.join(tmpdir(), 'published-'));
  let pointer: { etag: string | undefined } | null = null;

  const get = async (name: string) => {
    const asked = client.send(new GetObjectCommand({ Bucket: bucket, Key: prefix + name }));
    const found = await asked.catch((error) =>
      statusOf(error) === 404 && error.name !== 'NoSuchBucket' ? null : refuse(url, name, error),
    );
    return found && { etag: found.ETag, bytes: Buffer.from(await found.Body!.transformToByteArray()) };
  };
  const put = (
    name: string,
    bytes: Buffer,
    sha256Hex: string,
    condition: { IfMatch?: string; IfNoneMatch?: string } = {},
  ) =>
    client
      .send(
        new PutObjectCommand({
          ...{ Bucket: bucket, Key: prefix + name, Body: bytes, ...condition },
          ChecksumSHA256: Buffer.from(sha256Hex, 'hex').toString('base64'),
        }),
      )
      .catch((error) => refuse(url, name, error));

  try {
    return await work({
      name: url,
      histories: [{ out, to: url }],
      async current() {
        const found = await get('current');
        pointer = found && { etag: found.etag };
        if (!found) return null;
        const version = versionAt(found.bytes.toString());
        if (version === null) throw new UsageError(`${url}/current: found another text, expected snapshots/VERSION`);
        return fetchReviewed(version, path.join(copies, version), async (name) => {
          const file = await get(`${placeOf(version)}/${name}`);
          if (file) return file.bytes;
          throw new UsageError(`${url}/${placeOf(version)}/${name}: found nothing, expected a file of what is current`);
        });
      },
      async put({ directory, manifest }) {
        const place = placeOf(manifest.model_version);
        const whole = await readFile(path.join(directory, 'manifest.json'));
        // A manifest is there once all its files are.
        if ((await get(`${place}/manifest.json`))?.bytes.equals(whole)) return;
        await inParallel(Object.entries(manifest.files), async ([name, entry]) => {
          await put(`${place}/${name}`, await readFile(path.join(directory, name)), entry.sha256);
        });
        await put(`${place}/manifest.json`, whole, sha256(whole));
      },
      releases: {
        read: async (name) => (await get(`${RELEASES}/${name}`))?.bytes ?? null,
        write: (name, bytes) => put(`${RELEASES}/${name}`, bytes, sha256(bytes)).then(() => {}),
        // Nothing here removes a version from a bucket; a proxy leaves out what is not there any more.
        has: () => true,
      },
      async point(version) {
        const text = placeOf(version);
        const condition = pointer?.etag ? { IfMatch: pointer.etag } : pointer === null ? { IfNoneMatch: '*' } : {};
        await put('current', Buffer.from(text), sha256(text), condition);
      },
    });
  } finally {
    client.destroy();
    await rm(copies, { recursive: true, force: true });
  }
}

/** Brings of a version what a review reads to `directory`. */
async function fetchReviewed(
  version: string,
  directory: string,
  fetchFile: (name: string) => Promise<Buffer>,
): Promise<Snapshot> {
  const text = await fetchFile('manifest.json');
  const { files }: Manifest = JSON.parse(text.toString());
  await inParallel(
    Object.keys(files).filter((name) => REVIEWED.test(name)),
    async (name) => {
      const bytes = await fetchFile(name);
      if (sha256(bytes) !== files[name]!.sha256)
        throw new UsageError(`${version}/${name}: found other bytes in the storage than its manifest says`);
      await mkdir(path.dirname(path.join(directory, name)), { recursive: true });
      await writeFile(path.join(directory, name), bytes);
    },
  );
  await writeFile(path.join(directory, 'manifest.json'), text);
  return openSnapshot(directory);
}

type S3Error = Error & { $metadata?: { httpStatusCode?: number } };
const statusOf = (error: S3Error) => error.$metadata?.httpStatusCode;

/** @throws UsageError for what the storage will refuse again, TryAgain for the rest */
function refuse(url: string, name: string, error: Error): never {
  const status = statusOf(error as S3Error);
  const what = `${url}/${name}: ${error.name}${error.message && error.message !== error.name ? `, ${error.message.split('\n')[0]}` : ''}`;
  if (status === 412 || status === 409)
    throw new TryAgain(`${what}: somebody else published there meanwhile; review again what it would replace`);
  if (status === 403 || status === 401 || status === 404 || status === 400 || error.name === 'CredentialsProviderError')
    throw new UsageError(`${what}; expected to be allowed to read and write there (AWS_REGION, AWS_ACCESS_KEY_ID …)`);
  throw new TryAgain(`${what}; what is published there is as it was`);
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

function openClient(): S3Client {
  // Storage of one's own (MinIO, Ceph …) seldom has a host name for each bucket.
  const own = process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL;
  return new S3Client({
    forcePathStyle: own !== undefined,
    requestHandler: { connectionTimeout: 3000, requestTimeout: 30_000 },
  });
}
