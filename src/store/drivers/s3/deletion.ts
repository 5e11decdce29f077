import { createHash } from 'node:crypto'
import { encodeText } from '../../bytes.ts'
import type { Bucket } from './bucket.ts'
import type { Ask } from './client.ts'
import { foreignServerError } from './failure.ts'
import { parseUndeleted, type VersionName } from './xml.ts'

/** Deletes versions for good, at most 1,000 of them; answers with the names of those that are still there. */
export async function deleteVersions(
  bucket: Bucket,
  versions: readonly VersionName[],
): Promise<ReadonlySet<string>> {
  const { prefix, shown } = bucket.client.place
  const body = bodyFor(versions.map(({ name, id }) => ({ name: prefix + name, id })))
  // Not a condition of ours: S3 wants a hash with this request alone.
  const headers = { 'content-md5': createHash('md5').update(body).digest('base64') }
  const query = { delete: '' }
  const ask: Ask = { kind: 'DELETE', method: 'POST', name: '', query, headers, body }
  // A version that is gone already is as good as deleted, so this may be sent again.
  const answer = await bucket.run((deadline) => bucket.client.read(ask, [200], deadline))
  const failed = parseUndeleted(answer.body)
  if (failed === null) throw foreignServerError(shown)
  return new Set(failed.map((name) => name.slice(prefix.length)))
}

/** What asks for versions to be deleted; the answer then names only those that were not. */
function bodyFor(versions: readonly VersionName[]): Uint8Array {
  const objects = versions.map(
    ({ name, id }) =>
      `<Object><Key>${escaped(name)}</Key><VersionId>${escaped(id)}</VersionId></Object>`,
  )
  return encodeText(`<Delete><Quiet>true</Quiet>${objects.join('')}</Delete>`)
}

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
