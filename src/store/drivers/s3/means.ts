import { hostOf, S3Client } from './client.ts'
import type { CredentialSource } from './credentials.ts'
import { hashes } from './hashes.ts'
import type { Place } from './place.ts'
import { HttpTransport } from './transport.ts'

/** Connections to the host of a bucket, by Node. */
export const transportTo = (place: Place): HttpTransport =>
  new HttpTransport(new URL(`${place.endpoint.protocol}//${hostOf(place)}`))

/** Requests to a bucket, by Node. */
export const s3Client = (place: Place, credentials: CredentialSource): S3Client =>
  new S3Client(place, { credentials, hashes, transport: transportTo(place) })
