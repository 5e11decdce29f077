import { create, type Write } from '../../../src/store/index.ts'
import type { Random } from '../random.ts'

const bytes = (value: unknown): Uint8Array =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))

/** A session with a long log, in which most tasks have ended: nothing may cost more because of it. */
export function longSession(
  random: Random,
  { sid, path, hash, at }: { sid: string; path: string; hash: string; at: string },
  idOf: (title: string) => string,
): Write[] {
  const writes: Write[] = []
  const events: object[] = []
  const put = (key: string, value: unknown) => writes.push(create(`np/${key}`, bytes(value)))
  const log = (type: string, payload: object) =>
    events.push({ seq: events.length + 1, at, type, reason: null, cmd: 'np before', payload })
  for (let nth = random.int(20, 120); nth > 0; nth--) {
    const title = `old ${nth}`
    const created_seq = events.length + 1
    const id = idOf(title)
    const times = { created_at: at, updated_at: at, created_seq }
    const task = { id, title, description: '', status: 'pending', ...times }
    log('task_added', { task })
    const change = { status_before: 'pending', status_after: 'completed', updated_at: at }
    log('task_status_changed', { task_id: id, title, ...change })
    put(`s/${sid}/task/${id}`, { ...task, status: 'completed' })
    put(`s/${sid}/idx/status/completed/${id}`, '')
  }
  for (const [index, event] of events.entries())
    put(`s/${sid}/evt/${(index + 1).toString(16).padStart(16, '0')}`, event)
  const count = Buffer.alloc(8)
  count.writeBigUInt64BE(BigInt(events.length))
  writes.push(create(`np/s/${sid}/meta/evt_seq`, count))
  const times = { created_at: at, archived_at: null, last_updated_at: at }
  put(`s/${sid}/meta`, { sid, dir_path: path, dir_hash: hash, state: 'active', ...times })
  put(`dir/${hash}/active`, sid)
  put(`idx/active/${sid}`, hash)
  put('meta/schema_version', '1')
  return writes
}
