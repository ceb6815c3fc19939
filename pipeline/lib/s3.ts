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
      // Otherwise it only writes a warning, and waits on.
      throwOnRequestTimeout: true,
    },
  });
}

/** After this time without a byte a try fails; the client tries three times. */
const SILENCE_TIMEOUT_MS = 10_000;

/** Ends a call for an object of so many bytes, with all its tries, even if now and then a byte arrives. */
export const deadlineSignal = (bytes = 0): AbortSignal => AbortSignal.timeout(120_000 + slowestTransferMs(bytes));

/** What `send` needs in addition for an object to be put: it must be there before the storage answers. */
export const putTimeout = (bytes: number) => ({ requestTimeout: SILENCE_TIMEOUT_MS + slowestTransferMs(bytes) });

/** Milliseconds for so many bytes on the slowest line that is of use, 5 kB a second for each of many calls at once. */
const slowestTransferMs = (bytes: number) => Math.ceil(bytes / 5);
