/** Versions in object storage (S3 and compatible services), in the layout that the proxies read. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { Manifest } from '../contract/manifest.ts';
import { RELEASES_FOLDER, snapshotPath, versionFromPointer } from '../contract/published.ts';
import { TryAgain, UsageError } from '../lib/errors.ts';
import { sha256 } from '../lib/hash.ts';
import { inParallel } from '../lib/in-parallel.ts';
import { deadlineSignal, openS3Client, putTimeout } from '../lib/s3.ts';
import { openSnapshot, type Snapshot } from '../publish/snapshot/open-snapshot.ts';
import type { Destination } from './destination.ts';

const MAX_PARALLEL = 16;
/** Files of a version that a review reads, in addition to its manifest. */
const REVIEWED_FILES = /^(?:model-card\.json|findings\.json|tables\/.*\.parquet)$/;

/**
 * Runs `work` with a bucket's prefix. Credentials and endpoint come from the environment, as for all AWS tools. Each
 * file is put with its SHA-256, so that the storage refuses other bytes. A manifest follows all its files; `current`
 * comes last and, if the storage supports conditional writes, only if it is unchanged since it was read.
 */
export async function withBucket<T>(
  out: string,
  url: string,
  { bucket, prefix }: { bucket: string; prefix: string },
  work: (destination: Destination) => Promise<T>,
): Promise<T> {
  const client = openS3Client();
  const temporary = await mkdtemp(path.join(tmpdir(), 'published-'));
  let currentObject: { etag: string | undefined } | null = null;

  const getObject = async (name: string, size?: number) => {
    const command = new GetObjectCommand({ Bucket: bucket, Key: prefix + name });
    const response = await client
      .send(command, { abortSignal: deadlineSignal(size) })
      .catch((error) =>
        httpStatus(error) === 404 && error.name !== 'NoSuchBucket' ? null : throwStorageError(url, name, error),
      );
    if (!response) return null;
    const bytes = await response.Body!.transformToByteArray().catch((error) => throwStorageError(url, name, error));
    return { etag: response.ETag, bytes: Buffer.from(bytes) };
  };
  const putObject = (
    name: string,
    bytes: Buffer,
    sha256Hex: string,
    condition: { IfMatch?: string; IfNoneMatch?: string } = {},
  ) =>
    client
      .send(
        new PutObjectCommand({
          Bucket: bucket,
          Key: prefix + name,
          Body: bytes,
          ...condition,
          ChecksumSHA256: Buffer.from(sha256Hex, 'hex').toString('base64'),
        }),
        { abortSignal: deadlineSignal(bytes.length), ...putTimeout(bytes.length) },
      )
      .catch((error) => throwStorageError(url, name, error));

  try {
    return await work({
      name: url,
      histories: [{ out, to: url }],
      async currentSnapshot() {
        const object = await getObject('current');
        currentObject = object && { etag: object.etag };
        if (!object) return null;
        const version = versionFromPointer(object.bytes.toString());
        if (version === null) throw new UsageError(`${url}/current: found other text, expected snapshots/VERSION`);
        return fetchReviewed(version, path.join(temporary, version), async (name, size) => {
          const file = await getObject(`${snapshotPath(version)}/${name}`, size);
          if (file) return file.bytes;
          throw new UsageError(
            `${url}/${snapshotPath(version)}/${name}: found nothing, expected a file of the current version`,
          );
        });
      },
      async copyVersion({ directory, manifest }) {
        const folder = snapshotPath(manifest.model_version);
        const bytes = await readFile(path.join(directory, 'manifest.json'));
        // The manifest is written last, so if it is there, all files are.
        if ((await getObject(`${folder}/manifest.json`))?.bytes.equals(bytes)) return;
        await inParallel(MAX_PARALLEL, Object.entries(manifest.files), async ([name, entry]) => {
          await putObject(`${folder}/${name}`, await readFile(path.join(directory, name)), entry.sha256);
        });
        await putObject(`${folder}/manifest.json`, bytes, sha256(bytes));
      },
      releaseFiles: {
        read: async (name) => (await getObject(`${RELEASES_FOLDER}/${name}`))?.bytes ?? null,
        write: (name, bytes) => putObject(`${RELEASES_FOLDER}/${name}`, bytes, sha256(bytes)).then(() => {}),
        // Nothing here removes versions from a bucket; proxies skip missing ones.
        has: () => true,
      },
      async makeCurrent(version) {
        const text = snapshotPath(version);
        const condition = currentObject?.etag
          ? { IfMatch: currentObject.etag }
          : currentObject === null
            ? { IfNoneMatch: '*' }
            : {};
        await putObject('current', Buffer.from(text), sha256(text), condition);
      },
    });
  } finally {
    client.destroy();
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Fetches the files of a version that a review reads to `directory`. */
async function fetchReviewed(
  version: string,
  directory: string,
  fetchFile: (name: string, size?: number) => Promise<Buffer>,
): Promise<Snapshot> {
  const text = await fetchFile('manifest.json');
  const { files }: Manifest = JSON.parse(text.toString());
  await inParallel(
    MAX_PARALLEL,
    Object.keys(files).filter((name) => REVIEWED_FILES.test(name)),
    async (name) => {
      const bytes = await fetchFile(name, files[name]!.bytes);
      if (sha256(bytes) !== files[name]!.sha256)
        throw new UsageError(
          `${version}/${name}: found bytes in the storage that differ from its manifest, expected the same`,
        );
      await mkdir(path.dirname(path.join(directory, name)), { recursive: true });
      await writeFile(path.join(directory, name), bytes);
    },
  );
  await writeFile(path.join(directory, 'manifest.json'), text);
  return openSnapshot(directory);
}

type S3Error = Error & { $metadata?: { httpStatusCode?: number } };
const httpStatus = (error: S3Error) => error.$metadata?.httpStatusCode;

/** @throws UsageError if the storage would refuse the request again, else TryAgain */
function throwStorageError(url: string, name: string, error: Error): never {
  const status = httpStatus(error as S3Error);
  const what = `${url}/${name}: ${error.name}${error.message && error.message !== error.name ? `, ${error.message.split('\n')[0]}` : ''}`;
  if (status === 412 || status === 409)
    throw new TryAgain(`${what}: another version was published there in the meantime; review this one again`);
  const isUnset = error.name === 'CredentialsProviderError' || /^Region (is missing|not accepted)/.test(error.message);
  if (isUnset || status === 403 || status === 401 || status === 404 || status === 400)
    throw new UsageError(`${what}; expected access to read and write there (AWS_REGION, AWS_ACCESS_KEY_ID …)`);
  throw new TryAgain(`${what}; the published version there is unchanged`);
}
