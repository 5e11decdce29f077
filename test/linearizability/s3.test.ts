import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { s3Faults, startS3Proxy } from '../proxy/s3-proxy.ts'
import { type MinioServer, startMinio } from '../servers/s3.ts'
import { Random } from '../sim/random.ts'
import { sized } from '../size.ts'
import { patiently, s3Bucket } from '../store/s3/ground.ts'
import { type Ground, groundOf } from './client.ts'
import { historyOf, type Note } from './history.ts'
import { recordEnd, recordRound } from './round.ts'
import { seed, Tally } from './tally.ts'

const histories = sized(8, 600, 40)
const kills = sized(1, 40, 4)
const [clients, calls, keys] = [6, 10, 3]
const timeoutMs = 3_000
const faultShare = 0.06
const downMsMax = 800

/**
 * Where no versions are kept, nothing tells a conflict from a write that a gateway sent twice, where two others have
 * followed up on the first one, or it was a removal and another client has created the key. So there requests come once.
 */
describe('MinIO is linearizable: requests and answers lost, late, twice and refused, the server killed', () => {
  let server: MinioServer
  beforeAll(async () => {
    server = await startMinio({ oneProcessor: true })
  })
  afterAll(() => server[Symbol.asyncDispose]())

  for (const versioned of [true, false]) {
    const name = `MinIO ${versioned ? 'with' : 'without'} versions`
    test(`${name}: ${histories} histories`, { timeout: 3_600_000 }, async () => {
      const kinds = versioned ? s3Faults : s3Faults.filter((kind) => kind !== 'duplicate')
      const faults = { share: faultShare, seed, kinds }
      await using proxy = await startS3Proxy(server.account.endpoint, faults)
      const bucket = await s3Bucket(Promise.resolve(server.account), { versioned })
      const faulty = { endpoint: proxy.endpoint, more: `&timeout_ms=${timeoutMs}` }
      await using one = await bucket.open('', faulty)
      await using other = await bucket.open('', faulty)
      await using patient = await bucket.open('', { more: patiently })
      const random = new Random(seed)
      const rounds: { ground: Ground; notes: Note[] }[] = []
      for (let round = 0; round < histories; round++) {
        const ground = groundOf('minio', round, keys)
        const options = { stores: [one, other], clients, calls, ground, seed: seed + round }
        const isKilled = round % Math.ceil(histories / kills) === 0
        const unrest = isKilled ? killed(server, random) : undefined
        rounds.push({ ground, notes: await recordRound(options) })
        await unrest
      }
      const tally = new Tally(name)
      for (const { ground, notes } of rounds)
        tally.add(historyOf([...notes, ...(await recordEnd(patient, ground))]))
      tally.settle()
    })
  }
})

async function killed(server: MinioServer, random: Random): Promise<void> {
  await sleep(random.next() * downMsMax)
  await server.kill()
  await sleep(random.next() * downMsMax)
  await server.restart()
}
