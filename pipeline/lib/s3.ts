/** Object storage: S3 and compatible services. Import it only where storage is used: the client takes long to load. */
import { S3Client } from '@aws-sdk/client-s3';

/** A client whose credentials, region and endpoint come from the environment, as for all AWS tools. */
export function openClient(): S3Client {
  // Self-hosted storage (MinIO, Ceph …) rarely has a host name for each bucket.
  const endpoint = process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL;
  return new S3Client({
    forcePathStyle: endpoint !== undefined,
    requestHandler: { connectionTimeout: 3000, requestTimeout: 30_000 },
  });
}
