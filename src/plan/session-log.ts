import {
  type Codec,
  Collection,
  type CollectionOptions,
  EntryIndex,
  encodeText,
  Log,
  type Projection,
} from '../collection/index.ts'
import type { Store } from '../store/internal.ts'
import { goalAfter, taskAfter, taskIdOf } from './apply.ts'
import { goalCodec, type PlanTask, sessionCodec, taskCodec } from './documents.ts'
import { SessionArchivedError } from './error.ts'
import { eventCodec, type PlanEvent } from './event.ts'
import { keysOf } from './keys.ts'
import type { Status } from './status.ts'

/** Documents follow from events, as long as those can be read. */
export const remedy = "Run 'np repair': it restores what the events say."

/** The log of a session, from which its goal, tasks and status index follow. */
export const logOf = (store: Store, sid: string): Log<PlanEvent> =>
  new Log(store, {
    noun: `the session ${sid}`,
    prefix: keysOf(sid).events,
    checkpoint: keysOf(sid).lastSeq,
    codec: eventCodec,
    project: (event) => projectionsOf(sid, event),
    gate: { key: keysOf(sid).meta, check: (bytes) => checkActive(sid, bytes) },
  })

/** One that can't be read was refused before. */
function checkActive(sid: string, bytes: Uint8Array | null): void {
  if (bytes !== null && sessionCodec.decode(bytes, sid).state === 'archived')
    throw new SessionArchivedError(sid)
}

/** The tasks of a session. They are written by its log; what they imply, the collection knows. */
export const tasksOf = (
  store: Store,
  sid: string,
  onCorrupt?: CollectionOptions,
): Collection<PlanTask> =>
  new Collection(
    store,
    {
      noun: 'task',
      prefix: keysOf(sid).tasks,
      codec: taskCodec,
      indexes: [byStatus(sid)],
      remedy,
    },
    onCorrupt,
  )

/** In the order in which they were added. */
export const inOrder = (tasks: readonly PlanTask[]): PlanTask[] =>
  tasks.toSorted((a, b) => a.created_seq - b.created_seq || (a.id < b.id ? -1 : 1))

/** The tasks that have a status, in the order in which they were added. */
export async function tasksWith(
  store: Store,
  sid: string,
  status: Status,
  onCorrupt?: CollectionOptions,
): Promise<PlanTask[]> {
  const ids: string[] = []
  for await (const { key } of store.list(`${keysOf(sid).byStatus}/${status}`))
    ids.push(key.slice(key.lastIndexOf('/') + 1))
  const found = await tasksOf(store, sid, onCorrupt).getAll(ids)
  return inOrder(found.map(({ value }) => value).filter((task) => task.status === status))
}

const byStatus = (sid: string) =>
  new EntryIndex<PlanTask>({
    prefix: keysOf(sid).byStatus,
    entries: (id, { status }) => [[`${status}/${id}`, '']],
    idOf: (path) => path.split('/')[1] ?? null,
  })

/** What an event makes of the documents of its session. */
export function* projectionsOf(sid: string, event: PlanEvent): Generator<Projection> {
  const keys = keysOf(sid)
  yield documentAt(keys.meta, sessionCodec, sid, (session) => session && touched(session, event.at))
  const id = taskIdOf(event)
  if (id === null) {
    yield documentAt(keys.goal, goalCodec, '', (goal) => goalAfter(goal, event))
    return
  }
  yield documentAt(keys.task(id), taskCodec, id, (task) => taskAfter(task, event))
  if (event.type === 'task_added') yield presence(keys.status('pending', id), true)
  if (event.type !== 'task_status_changed') return
  const { status_before, status_after } = event.payload
  yield presence(keys.status(status_before, id), false)
  yield presence(keys.status(status_after, id), true)
}

const touched = <S extends { last_updated_at: string }>(session: S, at: string): S =>
  session.last_updated_at >= at ? session : { ...session, last_updated_at: at }

const presence = (key: string, isThere: boolean): Projection => ({
  key,
  next: () => (isThere ? encodeText('') : null),
})

/** What can't be read is left as it is: it is named when somebody asks for it. */
function documentAt<T>(
  key: string,
  codec: Codec<T>,
  id: string,
  next: (value: T | null) => T | null,
): Projection {
  return {
    key,
    next: (bytes) => {
      let value: T | null
      try {
        value = bytes && codec.decode(bytes, id)
      } catch {
        return bytes
      }
      const after = next(value)
      return after === null || after === value ? bytes : codec.encode(after)
    },
  }
}
