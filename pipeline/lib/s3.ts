/** Object storage: S3 and compatible services. Import it only where storage is used: the client takes long to load. */
import { S3Client } from '@aws-sdk/client-s3';

/** A client whose credentials, region and endpoint come from the environment, as for all AWS tools. */
export function openS3Client(): S3Client {
  // Self-hosted storage (MinIO, Ceph …) rarely has a host name for each bucket.
  const endpoint = process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL;
  return new S3Client({
    forcePathStyle: endpoint !== undefined,
    requestHandler: {
      connectionTimeout: 3000,
      socketTimeout: SILENCE_TIMEOUT_MS,
      requestTimeout: SILENCE_TIMEOUT_MS,
      // Without it, the client only writes a warning and keeps waiting.
      throwOnRequestTimeout: true,
    },
  });
}

/** An attempt fails after this time without a byte; the client makes three attempts. */
const SILENCE_TIMEOUT_MS = 10_000;

/** Ends a call for an object of `bytes` bytes, with all its attempts, even if bytes still arrive. */
export const deadlineSignal = (bytes = 0): AbortSignal => AbortSignal.timeout(120_000 + slowestTransferMs(bytes));

/** Options of `send` for an upload: the storage answers only once the whole object has arrived. */
export const putTimeout = (bytes: number) => ({ requestTimeout: SILENCE_TIMEOUT_MS + slowestTransferMs(bytes) });

/** Milliseconds that `bytes` bytes take at 5 kB a second, the slowest connection that is supported. */
const slowestTransferMs = (bytes: number) => Math.ceil(bytes / 5);
