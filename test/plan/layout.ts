import assert from 'node:assert/strict'
import type { Store } from '../../src/store/index.ts'

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
/** What any payload may have. */
interface Payload {
  goal: object
  goal_before: object
  goal_after: object
  task: Task
  task_id: string
  before: object
  after: Partial<Task>
  status_before: string
  status_after: string
  updated_at: string
}
interface Task {
  id: string
  title: string
  description: string
  status: string
  created_at: string
  updated_at: string
  created_seq: number
}

/** All keys and values below a prefix; JSON as what it says, and the counter as its number. */
export async function dump(store: Store, prefix = 'np'): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>()
  for await (const { key, value } of store.scan(prefix)) {
    const isCounter = key.endsWith('/meta/evt_seq')
    if (isCounter) assert.equal(value.byteLength, 8, key)
    const content = text(value)
    found.set(
      key,
      isCounter
        ? Number(Buffer.from(value).readBigUInt64BE())
        : content.startsWith('{')
          ? JSON.parse(content)
          : content,
    )
  }
  return found
}

/** What the documents of a session should be, by a replay of its events, written out here by hand. */
function replayed(sid: string, all: Map<string, unknown>): Map<string, unknown> {
  const expected = new Map<string, unknown>()
  const events = [...all].filter(([key]) => key.startsWith(`np/s/${sid}/evt/`))
  const tasks = new Map<string, Task>()
  events.forEach(([key, event], at) => {
    const { seq, type, payload } = event as { seq: number; type: string; payload: Payload }
    assert.equal(seq, at + 1, 'a gap or a repeat in the log')
    assert.equal(key, `np/s/${sid}/evt/${seq.toString(16).padStart(16, '0')}`)
    if (type === 'goal_set') expected.set(`np/s/${sid}/goal`, payload.goal)
    if (type === 'goal_updated') {
      assert.deepEqual(payload.goal_before, expected.get(`np/s/${sid}/goal`))
      expected.set(`np/s/${sid}/goal`, payload.goal_after)
    }
    if (type === 'task_added') {
      assert.ok(!tasks.has(payload.task.id), 'a task was added twice')
      assert.equal(payload.task.created_seq, seq)
      tasks.set(payload.task.id, payload.task)
    }
    const task = tasks.get(payload.task_id) as Task
    if (type === 'task_updated') {
      const { title, description, updated_at } = task
      assert.deepEqual(payload.before, { title, description, updated_at })
      tasks.set(task.id, { ...task, ...payload.after })
    }
    if (type === 'task_status_changed') {
      assert.equal(payload.status_before, task.status)
      tasks.set(task.id, { ...task, status: payload.status_after, updated_at: payload.updated_at })
    }
  })
  for (const [id, task] of tasks) {
    expected.set(`np/s/${sid}/task/${id}`, task)
    expected.set(`np/s/${sid}/idx/status/${task.status}/${id}`, '')
  }
  expected.set(`np/s/${sid}/meta/evt_seq`, events.length)
  return expected
}

interface Meta {
  sid: string
  dir_hash: string
  state: string
  archived_at: string | null
}

/** Everything that the specification says must be there is there, and nothing else. */
export async function assertLayout(store: Store): Promise<void> {
  const all = await dump(store)
  const metas = [...all].filter(([key]) => /^np\/s\/[^/]+\/meta$/.test(key))
  const expected = new Map<string, unknown>(metas)
  if (metas.length > 0) expected.set('np/meta/schema_version', '1')
  for (const [, meta] of metas as [string, Meta][]) {
    const { sid, dir_hash, archived_at } = meta
    for (const [key, value] of replayed(sid, all)) expected.set(key, value)
    for (const [key, value] of all) if (key.startsWith(`np/s/${sid}/evt/`)) expected.set(key, value)
    if (archived_at === null) {
      expected.set(`np/dir/${dir_hash}/active`, sid)
      expected.set(`np/idx/active/${sid}`, dir_hash)
    } else {
      const time = (BigInt(Date.parse(archived_at)) * 1_000_000n).toString(16).padStart(16, '0')
      expected.set(`np/idx/archived/${time}/${sid}`, dir_hash)
      expected.set(`np/dir/${dir_hash}/archived/${time}/${sid}`, '')
    }
  }
  assert.deepEqual(new Map([...all].sort()), new Map([...expected].sort()))
}
