import {
  type Codec,
  type Definition,
  decodeText,
  EntryIndex,
  encodeText,
  type Index,
  isDeeper,
} from '../collection/index.ts'
import { objectIn } from '../schema/index.ts'
import { taskFields } from './fields.ts'
import { newTrail, type Reverse, recalls, type Trail } from './history.ts'
import {
  idOfPlace,
  leasesPrefix,
  placeOf,
  readyPrefix,
  strayIn,
  strayPlaceOf,
  straysPrefix,
  taskPath,
  tasksPrefix,
} from './keys.ts'
import type { Task } from './task.ts'
import { membersOf, taskIn } from './task-codec.ts'
import { tagIn, tagOf } from './type-tag.ts'

/** A task with what is stored beside it. */
export interface Stored {
  readonly task: Task
  readonly trail: Trail
  /** Members that another program has added, to be kept. */
  readonly extra: Readonly<Record<string, unknown>> | null
}

/** A task as it is submitted. */
export const untouched = (task: Task): Stored => ({ task, trail: newTrail, extra: null })

/** Tasks that can be claimed, by time; the value is the type, so that workers pass over what is not for them. */
export const byReadiness = new EntryIndex<Stored>({
  prefix: readyPrefix,
  entries: (id, { task }) =>
    task.status === 'pending' ? [[placeOf(id, task.available_at), task.task_type]] : [],
  idOf: idOfPlace,
})

/** Tasks that are running, by the end of their leases. */
const byLease = new EntryIndex<Stored>({
  prefix: leasesPrefix,
  entries: (id, { task }) =>
    task.status === 'running'
      ? [[placeOf(id, task.lease_expires_at ?? task.updated_at), task.task_type]]
      : [],
  idOf: idOfPlace,
})

/**
 * Pending tasks by type, those that a worker might not come to by the index of what is ready: it passes those over whose
 * ids tell another type, does not read those whose ids tell none, and on S3 looks first for what is new.
 */
const byType = new EntryIndex<Stored>({
  prefix: straysPrefix,
  entries: (id, { task }) =>
    task.status === 'pending' && isStray(id, task)
      ? [[strayPlaceOf(id, tagOf(task.task_type), task.available_at), task.task_type]]
      : [],
  idOf: (path) => strayIn(path)?.id ?? null,
})

/** Tasks that are made here are none when they are submitted: that would be another write for each. */
const isStray = (id: string, { task_type, created_at, updated_at }: Task): boolean =>
  updated_at !== created_at || tagIn(id) !== tagOf(task_type)

const indexes: readonly Index<Stored>[] = [byReadiness, byLease, byType]

/** What is nested deeper could be read, but never be written again: that would exhaust the stack. */
export const depthMax = 2_000

/** Under this name the history lies in the document, as the last member but for what other programs added. */
const trailMember = '_history'

const codec: Codec<Stored> = {
  encode({ task, trail, extra }) {
    let json = membersOf(task)
    if (extra !== null) json += moreMembers(JSON.stringify(extra))
    if (trail !== newTrail) json += `,"${trailMember}":${JSON.stringify(packed(trail))}`
    return encodeText(`${json}}`)
  },
  decode(bytes, id) {
    const text = decodeText(bytes)
    if (isDeeper(text, depthMax)) throw new Error(`it is nested more than ${depthMax} levels deep`)
    const given = objectIn(JSON.parse(text))
    const task = taskIn(given, id)
    return { task, trail: unpacked(given[trailMember]), extra: extraIn(given) }
  },
}

export const taskDefinition: Definition<Stored> = {
  noun: 'task',
  prefix: tasksPrefix,
  path: taskPath,
  codec,
  indexes,
  recalls,
  remedy: 'Put it right with the tool that wrote it.',
}

/** The members of an object, to follow others. */
const moreMembers = (json: string): string => (json === '{}' ? '' : `,${json.slice(1, -1)}`)

type Packed = readonly [from: number, changes: readonly Reverse[], pages: readonly number[]]

const packed = ({ from, changes, pages }: Trail): Packed => [from, changes, pages]

function unpacked(given: unknown): Trail {
  if (given === undefined) return newTrail
  const [from, changes, pages] = (Array.isArray(given) ? given : []) as unknown as Packed
  if (!isCount(from) || !Array.isArray(changes) || !Array.isArray(pages))
    throw new Error('its history is not possible')
  return { from, changes, pages }
}

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0

function extraIn(given: Readonly<Record<string, unknown>>): Record<string, unknown> | null {
  let extra: Record<string, unknown> | null = null
  for (const name in given)
    if (!Object.hasOwn(taskFields, name) && name !== trailMember) {
      extra ??= {}
      extra[name] = given[name]
    }
  return extra
}
