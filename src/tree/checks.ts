import { checkedText, jsonShown, textBytesMax, titleCharactersMax } from '../collection/index.ts'
import type { Note } from './change.ts'
import { InvalidTaskError, ParentNotFoundError } from './error.ts'
import { parseId } from './id.ts'
import { checkTags } from './tags.ts'
import { priorityMax, type TaskType, taskTypes } from './task.ts'

/** What a new task may be given; only the title must be. */
export interface NewTask {
  /** In a few words; it may not be empty. */
  readonly title: string
  /** In more. */
  readonly body?: string | null | undefined
  /** `task` where it is left out. */
  readonly type?: TaskType | undefined
  /** 0, the most urgent, to 4; 2 where it is left out. */
  readonly priority?: number | undefined
  /** The task it is a part of; none where it is left out. */
  readonly parent_id?: string | null | undefined
  /** Words to find and route it by. */
  readonly tags?: readonly string[] | undefined
  /** The grimoire to work on it with; its parent's where it is left out. */
  readonly grimoire_hint?: string | null | undefined
}

/** What of a task may be changed by itself; what is left out stays. */
export interface TaskPatch {
  /** A new title. */
  readonly title?: string | undefined
  /** A new body, or null for none. */
  readonly body?: string | null | undefined
  /** Another type. */
  readonly type?: TaskType | undefined
  /** Another priority. */
  readonly priority?: number | undefined
  /** Another hint, or null for none. */
  readonly grimoire_hint?: string | null | undefined
}

const priorityDefault = 2
const agentCharactersMax = 200

const badBody = (what: string, next: string): InvalidTaskError =>
  new InvalidTaskError('INVALID_BODY', what, next)

/** Throws INVALID_BODY for what is no object or has other fields than these. */
export function checkFields(given: unknown, known: readonly string[]): Record<string, unknown> {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw badBody('What was given is no object.', `Give an object with ${known.join(', ')}.`)
  const unknown = Object.keys(given).find((field) => !known.includes(field))
  if (unknown !== undefined)
    throw badBody(
      `Unknown field: ${JSON.stringify(unknown.slice(0, 80))}.`,
      `Known are ${known.join(', ')}.`,
    )
  return given as Record<string, unknown>
}

/** Throws INVALID_BODY for options that are no object. */
export function checkOptions<T extends object>(given: T): T {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given
  throw badBody('The options are no object.', 'Give an object, or leave them out.')
}

const patchFields = ['title', 'body', 'type', 'priority', 'grimoire_hint']

type Edit = { [F in keyof TaskPatch]: Exclude<TaskPatch[F], undefined> }

/**
 * The fields that are to change.
 *
 * @throws {@link InvalidTaskError} where one is not known or can't be so.
 */
export function checkPatch(given: unknown): Edit {
  const patch = checkFields(given, patchFields)
  const checks = {
    title: checkTitle,
    body: checkBody,
    type: checkType,
    priority: checkPriority,
    grimoire_hint: checkHint,
  }
  return Object.fromEntries(
    Object.entries(checks).flatMap(([field, check]) =>
      patch[field] === undefined ? [] : [[field, check(patch[field])]],
    ),
  )
}

/**
 * A new task with what was left out filled in.
 *
 * @throws {@link InvalidTaskError} where it can't be one.
 */
export function checkNewTask(given: unknown) {
  const fields = checkFields(given, [...patchFields, 'parent_id', 'tags'])
  const { title, body, type = 'task', priority = priorityDefault, tags = [] } = fields
  return {
    title: checkTitle(title),
    body: checkBody(body ?? null),
    type: checkType(type),
    priority: checkPriority(priority),
    parent_id: checkParentId(fields['parent_id'] ?? null),
    tags: checkTags(tags),
    // Left out, it is the parent's.
    grimoire_hint:
      fields['grimoire_hint'] === undefined ? undefined : checkHint(fields['grimoire_hint']),
  }
}

/** What is no id is no parent's either. */
export function checkParentId(given: unknown): string | null {
  if (given === null) return null
  const id = parseId(given)
  if (id === null) throw new ParentNotFoundError(given)
  return id
}

const checkTitle = (given: unknown): string =>
  checkedText(given, { noun: 'the title', titleCharactersMax }, badBody)

const checkBody = (given: unknown): string | null => textOrNull(given, 'the body')

const textOrNull = (given: unknown, noun: string): string | null =>
  given === null
    ? null
    : checkedText(given, { noun, bytesMax: textBytesMax, mayBeEmpty: true }, badBody) || null

function checkHint(given: unknown): string | null {
  if (given === null) return null
  const rule = { noun: 'the grimoire', titleCharactersMax, mayBeEmpty: true } as const
  return checkedText(given, rule, badBody) || null
}

export function checkType(given: unknown): TaskType {
  const type = taskTypes.find((each) => each === given)
  if (type !== undefined) return type
  throw new InvalidTaskError(
    'INVALID_TYPE',
    `Not a type: ${jsonShown(given)}.`,
    `Give one of ${taskTypes.join(', ')}.`,
  )
}

export function checkPriority(given: unknown): number {
  if (Number.isInteger(given) && (given as number) >= 0 && (given as number) <= priorityMax)
    return given as number
  throw new InvalidTaskError(
    'INVALID_PRIORITY',
    `Not a priority: ${jsonShown(given)}.`,
    `Give a whole number from 0, the most urgent, to ${priorityMax}.`,
  )
}

/**
 * The id of an agent, trimmed.
 *
 * @throws {@link InvalidTaskError} with `MISSING_AGENT` where it can't be one.
 */
export function checkAgent(given: unknown): string {
  const agent = typeof given === 'string' ? given.trim() : ''
  const isFine = agent !== '' && agent.length <= agentCharactersMax && agent.isWellFormed()
  if (isFine && !/\p{Cc}/u.test(agent)) return agent
  throw new InvalidTaskError(
    'MISSING_AGENT',
    agent === '' ? 'It is not said which agent asks.' : 'The id of the agent is unusable.',
    `Give an id of at most ${agentCharactersMax} characters, without control characters.`,
  )
}

/** What is said about a change of status; what is empty is left out. */
export function checkNote(given: Note): Note {
  const { reason, summary, result } = checkOptions(given)
  const texts = Object.entries({ reason, summary }).flatMap(([field, given]) => {
    const text = given === undefined ? null : textOrNull(given, `the ${field}`)
    return text === null ? [] : [[field, text]]
  })
  const isGiven = result !== undefined && result !== null
  if (isGiven && Buffer.byteLength(JSON.stringify(result) ?? '') > textBytesMax)
    throw badBody(
      `The result is over the limit of ${textBytesMax} bytes.`,
      'Keep the long part in a file and name that.',
    )
  return { ...Object.fromEntries(texts), ...(isGiven ? { result } : {}) }
}
