import { Bucket } from '../../../src/store/drivers/s3/bucket.ts'
import { credentialSource } from '../../../src/store/drivers/s3/credentials.ts'
import { s3Client } from '../../../src/store/drivers/s3/means.ts'
import { placeOf } from '../../../src/store/drivers/s3/place.ts'
import { type ProbeResult, probe } from '../../../src/store/drivers/s3/probe.ts'

/** Uses the bucket of a store as its driver would, with the keys of the environment. */
export async function withBucket<T>(url: string, use: (bucket: Bucket) => Promise<T>): Promise<T> {
  const client = s3Client(placeOf(url), await credentialSource())
  try {
    return await use(new Bucket(client))
  } finally {
    client.close()
  }
}

/** A probe of one round instead of twenty, where not the races are what a test is about, but what follows from them. */
export const probeShortly = (bucket: Bucket): Promise<ProbeResult> => probe(bucket, 1)
