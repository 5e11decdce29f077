import { openS3 } from '../../../src/store/drivers/s3/driver.ts'
import { ProbeMemory } from '../../../src/store/drivers/s3/memory.ts'
import { create } from '../../../src/store/index.ts'
import { eventually } from '../../eventually.ts'
import { region, type S3Account } from '../../servers/s3.ts'
import { isSoak } from '../../size.ts'
import { probeShortly, withBucket } from './short-probe.ts'

/** All test files know it. Whoever claims it tries the server out; the others wait until what came of it is there. */
const triedBucket = 'holdfast-tried'
const claimName = 'claim'
const memoryName = 'holdfast/.store/probe.json'

/** Writes down in a new folder what a probe of this server has found, as a store there would after a probe of its own. */
export async function rememberProbe(
  account: S3Account,
  bucket: string,
  prefix = '',
): Promise<void> {
  const path = `/${bucket}/${prefix === '' ? '' : `${prefix}/`}${memoryName}`
  const { ok, status } = await account.request(path, { method: 'PUT', body: await found(account) })
  if (!ok) throw new Error(`PUT ${path} was answered ${status}`)
}

const foundAt = new Map<string, Promise<string>>()

function found(account: S3Account): Promise<string> {
  const known = foundAt.get(account.endpoint) ?? tried(account)
  foundAt.set(account.endpoint, known)
  return known
}

async function tried(account: S3Account): Promise<string> {
  // It may be there already.
  await (await account.request(`/${triedBucket}`, { method: 'PUT' })).text()
  const claim = { method: 'PUT', body: 'claimed', headers: { 'if-none-match': '*' } }
  const { ok: isOurs } = await account.request(`/${triedBucket}/${claimName}`, claim)
  if (isOurs) await tryOut(account)
  return eventually(async () => {
    const memory = await account.request(`/${triedBucket}/${memoryName}`)
    if (!memory.ok) throw new Error(`What was found is not there: ${memory.status}`)
    return memory.text()
  })
}

/**
 * As the first write to a store would. An emulator, which takes one request after another, is tried out at length in a
 * soak only: nobody's data is there, and it is by far the slowest.
 */
async function tryOut(account: S3Account): Promise<void> {
  const url = `s3://${triedBucket}?endpoint=${account.endpoint}&region=${region}`
  if (!isSoak && !(await isMinio(account))) {
    await withBucket(url, (bucket) => new ProbeMemory(bucket, probeShortly).result())
    return
  }
  await using store = await openS3(url)
  await store.commit([create(`ns/${Math.random()}`, new Uint8Array([1]))])
}

async function isMinio(account: S3Account): Promise<boolean> {
  const answer = await account.request(`/${triedBucket}/${claimName}`)
  await answer.text()
  return answer.headers.get('server') === 'MinIO'
}
