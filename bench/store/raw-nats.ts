import { DiscardPolicy, jetstreamManager } from '@nats-io/jetstream'
import { connect, headers, type NatsConnection } from '@nats-io/transport-node'
import { keysOf, pickId, type Side, times, value, type Workload } from './workload.js'

const requestMsMax = 10_000
const bucket = 'benchraw'
const subjectOf = (key: string): string => `$KV.${bucket}.${key.replaceAll('/', '.')}`

/** The same writes by hand: one atomic batch after another, each of as many commits as are in flight. */
export async function openRawNats(url: string, workload: Workload): Promise<Side> {
  const nats = await connect({ servers: url.slice('nats://'.length) })
  const manager = await jetstreamManager(nats)
  await manager.streams.add({
    name: `KV_${bucket}`,
    subjects: [`$KV.${bucket}.>`],
    max_msgs_per_subject: 1,
    discard: DiscardPolicy.New,
    allow_direct: false,
    allow_atomic: true,
  })
  return {
    async commits({ lane, from, count }) {
      for (let id = from; id < from + count; ) {
        const end = Math.min(id + workload.inFlight, from + count)
        const keys: string[] = []
        for (; id < end; id++) keys.push(...keysOf(lane, id, workload.writesPerCommit))
        await sendBatch(nats, `${lane}-${id}`, keys)
      }
      return count
    },
    gets: (reading) =>
      times(reading.count, workload.getsInFlight, async (step) => {
        const [key] = keysOf(reading.lane, pickId(step, reading), 1)
        const query = { last_by_subj: subjectOf(key as string) }
        if (!(await manager.streams.getMessage(`KV_${bucket}`, query)))
          throw new Error('a key is missing')
      }),
    scans: async () => 0,
    close: () => nats.close(),
  }
}

async function sendBatch(nats: NatsConnection, id: string, keys: readonly string[]): Promise<void> {
  for (const [index, key] of keys.entries()) {
    const own = headers()
    own.set('Nats-Batch-Id', id)
    own.set('Nats-Batch-Sequence', String(index + 1))
    own.set('Nats-Expected-Last-Subject-Sequence', '0')
    if (index < keys.length - 1) {
      nats.publish(subjectOf(key), value, { headers: own })
      continue
    }
    own.set('Nats-Batch-Commit', '1')
    const options = { headers: own, timeout: requestMsMax }
    const answer = await nats.request(subjectOf(key), value, options)
    if (answer.json<{ error?: unknown }>().error) throw new Error(answer.string())
  }
}
