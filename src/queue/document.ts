import {
  type Codec,
  type Definition,
  decodeText,
  EntryIndex,
  encodeText,
  type Index,
  isDeeper,
} from '../collection/index.ts'
import { newTrail, type Reverse, recalls, type Trail } from './history.ts'
import { idPattern } from './id.ts'
import {
  idOfPlace,
  leasesPrefix,
  placeOf,
  readyPrefix,
  straysPrefix,
  taskPath,
  tasksPrefix,
} from './keys.ts'
import { type RetryPolicy, retryPolicyDefault } from './retry.ts'
import { type ArchivableStatus, archivable, statuses, type Task } from './task.ts'
import { parseTime } from './time.ts'
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
export const byLease = new EntryIndex<Stored>({
  prefix: leasesPrefix,
  entries: (id, { task }) =>
    task.status === 'running'
      ? [[placeOf(id, task.lease_expires_at ?? task.updated_at), task.task_type]]
      : [],
  idOf: idOfPlace,
})

/** Pending tasks that workers must not pass over by what their ids say; hardly ever there is one. */
const strays = new EntryIndex<Stored>({
  prefix: straysPrefix,
  entries: (id, { task }) => (task.status === 'pending' && isStray(id, task) ? [[id, '']] : []),
  idOf: (path) => (idPattern.test(path) ? path : null),
})

function isStray(id: string, { task_type }: Task): boolean {
  const tag = tagIn(id)
  return tag !== null && tag !== tagOf(task_type)
}

const indexes: readonly Index<Stored>[] = [byReadiness, byLease, strays]

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
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
      throw new Error('it is no JSON object')
    const given = parsed as Record<string, unknown>
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

const json = (value: Task['input']): string => (value === null ? 'null' : JSON.stringify(value))
const text = (value: string | null): string => (value === null ? 'null' : JSON.stringify(value))
/** For what has no character to escape: ids, times and words of ours. */
const word = (value: string | null): string => (value === null ? 'null' : `"${value}"`)

/** What `JSON.stringify` gives but for the last brace. Written out, for it is done at every change, it takes half the time. */
const membersOf = (task: Task): string =>
  `{"id":"${task.id}","task_type":${text(task.task_type)},"shard":"${task.shard}","status":"${task.status}",` +
  `"available_at":"${task.available_at}","lease_expires_at":${word(task.lease_expires_at)},` +
  `"input":${json(task.input)},"output":${json(task.output)},` +
  `"timeout_seconds":${task.timeout_seconds},"max_retries":${task.max_retries},"retry_count":${task.retry_count},` +
  `"retry_policy":${policyJson(task.retry_policy)},"created_at":"${task.created_at}","updated_at":"${task.updated_at}",` +
  `"completed_at":${word(task.completed_at)},"worker_id":${text(task.worker_id)},"lease_id":${text(task.lease_id)},` +
  `"attempt":${task.attempt},${isPlain(task) ? plainRest : restOf(task)}`

/** What most tasks have nothing of. */
const plain = {
  last_error: null,
  idempotency_key: null,
  cancel_requested: false,
  archived_from: null,
  input_ref: null,
  output_ref: null,
} satisfies Partial<Task>

const restOf = (task: Pick<Task, keyof typeof plain>): string =>
  `"last_error":${text(task.last_error)},"idempotency_key":${text(task.idempotency_key)},` +
  `"cancel_requested":${task.cancel_requested},"archived_from":${word(task.archived_from)},` +
  `"input_ref":${text(task.input_ref)},"output_ref":${text(task.output_ref)}`

/** Written out, for members by name take a tenth of what members by variable do. */
const isPlain = (task: Task): boolean =>
  task.last_error === null &&
  task.idempotency_key === null &&
  !task.cancel_requested &&
  task.archived_from === null &&
  task.input_ref === null &&
  task.output_ref === null

const plainRest = restOf(plain)

/** The last policy that was written: nearly all tasks have the same one. A copy, for others may change theirs. */
let [lastPolicy, lastPolicyJson] = [{ ...retryPolicyDefault }, jsonOfPolicy(retryPolicyDefault)]

function policyJson(policy: RetryPolicy): string {
  if (isSamePolicy(policy, lastPolicy)) return lastPolicyJson
  ;[lastPolicy, lastPolicyJson] = [{ ...policy }, jsonOfPolicy(policy)]
  return lastPolicyJson
}

const isSamePolicy = (a: RetryPolicy, b: RetryPolicy): boolean =>
  a.initial_interval_ms === b.initial_interval_ms &&
  a.max_interval_ms === b.max_interval_ms &&
  a.multiplier === b.multiplier &&
  a.jitter_percent === b.jitter_percent

function jsonOfPolicy(policy: RetryPolicy): string {
  return (
    `{"initial_interval_ms":${policy.initial_interval_ms},"max_interval_ms":${policy.max_interval_ms},` +
    `"multiplier":${policy.multiplier},"jitter_percent":${policy.jitter_percent}}`
  )
}

type Packed = readonly [from: number, changes: readonly Reverse[], pages: readonly number[]]

const packed = ({ from, changes, pages }: Trail): Packed => [from, changes, pages]

function unpacked(given: unknown): Trail {
  if (given === undefined) return newTrail
  const [from, changes, pages] = (Array.isArray(given) ? given : []) as unknown as Packed
  if (!isCount(from) || !Array.isArray(changes) || !Array.isArray(pages))
    throw new Error('its history is not possible')
  return { from, changes, pages }
}

/** More would lead to times that nobody can write. */
const secondsMax = 1e10
const intervalMsMax = 1e13

const isText = (value: unknown): value is string => typeof value === 'string'
const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0
const isTime = (value: unknown): value is string => parseTime(value) !== null
const isPositive = (value: unknown): value is number =>
  typeof value === 'number' && value > 0 && value <= secondsMax
const isAmount = (value: unknown): value is number => typeof value === 'number' && value >= 0
const isInterval = (value: unknown): value is number => isAmount(value) && value <= intervalMsMax
const orNull =
  <T>(is: (value: unknown) => value is T) =>
  (value: unknown): value is T | null =>
    value === null || is(value)
const isStatus = (value: unknown): value is Task['status'] =>
  (statuses as readonly unknown[]).includes(value)
const isName = (value: unknown): value is string => isText(value) && value !== ''
const isOrigin = (value: unknown): value is ArchivableStatus =>
  (archivable as readonly unknown[]).includes(value)
const isFlag = (value: unknown): value is boolean => typeof value === 'boolean'

const isPolicy = (value: unknown): value is RetryPolicy => {
  if (typeof value !== 'object' || value === null) return false
  const { initial_interval_ms, max_interval_ms, multiplier, jitter_percent } =
    value as Partial<RetryPolicy>
  return (
    isInterval(initial_interval_ms) &&
    isInterval(max_interval_ms) &&
    isAmount(multiplier) &&
    isAmount(jitter_percent)
  )
}

const optionalTime = orNull(isTime)
const optionalText = orNull(isText)
const optionalName = orNull(isName)
const optionalOrigin = orNull(isOrigin)

function field<T>(name: string, given: unknown, is: (value: unknown) => value is T, absent?: T): T {
  const value = given === undefined ? absent : given
  if (is(value)) return value
  throw new Error(`its ${name} is ${value === undefined ? 'missing' : 'not possible'}`)
}

/**
 * The task that an object is. What the specification makes optional, or gives a default, another tool may leave
 * out. Written out field by field: it is read for every claim.
 */
function taskIn(given: Record<string, unknown>, id: string): Task {
  if (given['id'] !== id) throw new Error('its id is not that of its key')
  const created_at = field('created_at', given['created_at'], isTime)
  return {
    id,
    task_type: field('task_type', given['task_type'], isName),
    shard: id.charAt(0),
    status: field('status', given['status'], isStatus),
    available_at: field('available_at', given['available_at'], isTime, created_at),
    lease_expires_at: field('lease_expires_at', given['lease_expires_at'], optionalTime, null),
    input: (given['input'] ?? null) as Task['input'],
    output: (given['output'] ?? null) as Task['output'],
    timeout_seconds: field(
      'timeout_seconds',
      given['timeout_seconds'],
      isPositive,
      timeoutSecondsDefault,
    ),
    max_retries: field('max_retries', given['max_retries'], isCount, retriesDefault),
    retry_count: field('retry_count', given['retry_count'], isCount, 0),
    retry_policy: field('retry_policy', given['retry_policy'], isPolicy, retryPolicyDefault),
    created_at,
    updated_at: field('updated_at', given['updated_at'], isTime, created_at),
    completed_at: field('completed_at', given['completed_at'], optionalTime, null),
    worker_id: field('worker_id', given['worker_id'], optionalText, null),
    lease_id: field('lease_id', given['lease_id'], optionalText, null),
    attempt: field('attempt', given['attempt'], isCount, 0),
    last_error: field('last_error', given['last_error'], optionalText, null),
    idempotency_key: field('idempotency_key', given['idempotency_key'], optionalName, null),
    cancel_requested: field('cancel_requested', given['cancel_requested'], isFlag, false),
    archived_from: field('archived_from', given['archived_from'], optionalOrigin, null),
    input_ref: field('input_ref', given['input_ref'], optionalName, null),
    output_ref: field('output_ref', given['output_ref'], optionalName, null),
  }
}

export const timeoutSecondsDefault = 300
export const retriesDefault = 3

const known = new Set<string>(
  [
    'id task_type shard status available_at lease_expires_at input output timeout_seconds max_retries',
    'retry_count retry_policy created_at updated_at completed_at worker_id lease_id attempt last_error',
    'idempotency_key cancel_requested archived_from input_ref output_ref _history',
  ].flatMap((names) => names.split(' ')),
)

function extraIn(given: Record<string, unknown>): Record<string, unknown> | null {
  let extra: Record<string, unknown> | null = null
  for (const name in given)
    if (!known.has(name)) {
      extra ??= {}
      extra[name] = given[name]
    }
  return extra
}
