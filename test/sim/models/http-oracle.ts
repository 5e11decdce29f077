import type { Applied } from '../disk.ts'
import { type Document, Documents } from '../documents.ts'
import type { Scene } from '../model.ts'
import type { Answer } from './http-server.ts'

/** What a client asked for. */
export interface Asked {
  readonly kind: 'jobs' | 'tasks' | 'queue'
  readonly what: string
  readonly sinceMs: number
  /** The path of what it is about. */
  readonly path?: string
  /** A word that is stored nowhere unless this request was fulfilled. */
  readonly mark?: string | undefined
  readonly key?: string | null
  /** The state that it must have been in, as it was shown. */
  readonly on?: Answer['body'] | null
}

/** How a document of each kind is stored, and which of its fields an answer shows under which names. */
const layouts = {
  jobs: {
    prefix: 'tasks/task/',
    keyOf: (id: string) => `tasks/task/${id}`,
    shown: {
      status: 'status',
      attempts: 'attempts',
      claimedBy: 'claimed_by',
      error: 'error',
      claimedAt: 'claimed_at',
      // One that is deleted and brought again under its id is another.
      createdAt: 'created_at',
      completedAt: 'completed_at',
    },
  },
  tasks: {
    prefix: 'coven/tasks/',
    keyOf: (id: string) => `coven/tasks/${id}`,
    shown: { title: 'title', status: 'status', claimed_by: 'claimed_by', updated_at: 'updated_at' },
  },
  queue: {
    prefix: 'qo/tasks/',
    keyOf: (id: string) => `qo/tasks/${id[0]}/${id}.json`,
    shown: {
      status: 'status',
      attempt: 'attempt',
      available_at: 'available_at',
      archived_from: 'archived_from',
      updated_at: 'updated_at',
    },
  },
} as const satisfies Record<Asked['kind'], object>

/** Compares answers with the documents that were stored while their requests were under way. */
export class HttpOracle {
  readonly #scene: Scene
  readonly #documents: Readonly<Record<Asked['kind'], Documents>>
  /** Marks of requests that were told that nothing has happened. */
  readonly #mustNotExist = new Set<string>()
  /** Which request was told that it has created a document. */
  readonly #creators = new Map<string, { readonly mark: string; readonly heardMs: number }>()
  /** Marks of which somebody else's document was the answer. */
  readonly #others = new Map<string, string>()

  constructor(scene: Scene) {
    this.#scene = scene
    const of = (kind: Asked['kind']) => new Documents(scene.world, layouts[kind].prefix)
    this.#documents = { jobs: of('jobs'), tasks: of('tasks'), queue: of('queue') }
  }

  applied(writes: readonly Applied[]): void {
    for (const documents of Object.values(this.#documents)) documents.applied(writes)
    for (const { key, value } of writes) {
      if (value === null || !isDocument(key)) continue
      const text = wordsOf(JSON.parse(new TextDecoder().decode(value)))
      for (const mark of this.#mustNotExist)
        if (holdsMark(text, mark)) this.#violated(`${mark} was refused, and is in ${key} later`)
    }
  }

  heard(asked: Asked, answer: Answer): void {
    const { status, outcome } = answer
    if (status >= 500 && outcome === null)
      this.#violated(`${asked.what} of ${asked.kind}: ${status} ${JSON.stringify(answer.body)}`)
    else if (status >= 400) {
      if (outcome !== 'unknown_outcome') this.#refused(asked, answer)
    } else this.#fulfilled(asked, answer)
  }

  /** Two clients never hear that they have created the same; whoever is shown another's has not stored anything. */
  settled(): void {
    for (const [mark, id] of this.#others) {
      const creator = this.#creators.get(id)
      if (creator?.mark === mark)
        this.#violated(`${mark} heard that ${id} is new, and that it is not`)
    }
  }

  #refused(asked: Asked, { status, body }: Answer): void {
    const { kind, mark, path, on, sinceMs, what } = asked
    // A claim whose answer was lost may have been ended by another before it is looked at again: that is what 409 tells.
    const isOver = status === 409 && what === 'claim' && this.#isPast(asked)
    if (mark !== undefined && !isOver) {
      this.#mustNotExist.add(mark)
      for (const document of this.#documents[kind].ever())
        if (holdsMark(wordsOf(document), mark))
          this.#violated(`${what} of ${mark} was refused with ${status}, yet it is stored`)
    }
    if (path === undefined) return
    const states = this.#statesOf(kind, path, sinceMs)
    if (status === 404 && !states.some((state) => isGone(kind, state)))
      this.#violated(`${what} of ${path} said 404, but it was there all the while`)
    if (status === 412 && on && states.every((state) => isShown(kind, state, on)))
      this.#violated(`${what} of ${path} said 412, but it was in that state all the while`)
    if (status === 409 && what === 'claim' && states.every((state) => isFree(kind, state)))
      this.#violated(
        `the claim of ${path} said 409 (${body['code']}), but it was free all the while`,
      )
  }

  /** Whether it held what it asked for, and does no more. */
  #isPast({ kind, path = '', mark, sinceMs }: Asked): boolean {
    const holds = (state: Document | null | undefined) =>
      state?.['claimedBy'] === mark && state?.['status'] === 'claimed'
    const states = this.#statesOf(kind, path, sinceMs)
    return states.some(holds) && !holds(states.at(-1))
  }

  #fulfilled(asked: Asked, { status, body }: Answer): void {
    const { kind, path, on, sinceMs, what, mark } = asked
    if (what === 'create') this.#created(asked, status, body)
    const id = body['id']
    if (typeof id === 'string') {
      const states = this.#documents[kind].since(layouts[kind].keyOf(id), sinceMs)
      if (!states.some((state) => isShown(kind, state, body)))
        this.#violated(`${what} of ${id} was answered with a state that it did not have`)
    }
    if (what.startsWith('claim') && status === 200)
      if (body['claimed_by'] !== mark)
        this.#violated(
          `${mark} was told that it has claimed ${id}, which ${body['claimed_by']} has`,
        )
    if (what === 'claimNext' && status === 204) this.#nothingPending(sinceMs)
    if (path === undefined) return
    const states = this.#statesOf(kind, path, sinceMs)
    if (on && !wasDoneOn(on, asked, body, states))
      this.#violated(
        `${what} of ${path} was done, though it was not in the state that was asked for`,
      )
    if (what === 'DELETE' && !states.some((state) => isGone(kind, state)))
      this.#violated(`${path} was said to be deleted, and is there`)
    if (what === 'PATCH' && !states.some((state) => state?.['title'] === mark))
      this.#violated(`${path} was said to have the title ${mark}, and never had`)
  }

  #created({ mark, key, kind }: Asked, status: number, body: Answer['body']): void {
    const id = body['id'] as string
    const own = holdsMark(JSON.stringify(body), mark as string)
    if (key !== undefined && (body['idempotency_key'] ?? null) !== key)
      this.#violated(`${kind} of key ${key} was answered with ${id} of ${body['idempotency_key']}`)
    if (status === 200) {
      this.#others.set(mark as string, id)
      return
    }
    if (!own) this.#violated(`${mark} was said to be new, as ${id}, which is another's`)
    const before = this.#creators.get(id)
    // Who stalled between key and task may bring it once more under its id, after others have done and deleted it.
    const isAgain =
      before !== undefined &&
      this.#documents[kind].since(layouts[kind].keyOf(id), before.heardMs).includes(null)
    if (before !== undefined && !isAgain)
      this.#violated(`${before.mark} and ${mark} both heard that ${id} is new`)
    this.#creators.set(id, { mark: mark as string, heardMs: this.#scene.world.nowMs })
  }

  /** Whose submitter was not told of it may lack its index entry until the next repair. */
  #nothingPending(sinceMs: number): void {
    for (const [key, document] of this.#documents.jobs.now()) {
      const id = key.slice(layouts.jobs.prefix.length)
      const states = this.#documents.jobs.since(key, sinceMs)
      const isPending = states.every((state) => state?.['status'] === 'pending')
      if (isPending && this.#creators.has(id))
        this.#violated(`claim-next said 204, but ${document['id']} was pending all the while`)
    }
  }

  #statesOf(kind: Asked['kind'], path: string, sinceMs: number): readonly (Document | null)[] {
    const id = path.slice(path.lastIndexOf('/') + 1)
    return this.#documents[kind].since(layouts[kind].keyOf(id), sinceMs)
  }

  #violated(what: string): void {
    this.#scene.violated(what)
  }
}

const isDocument = (key: string): boolean =>
  Object.values(layouts).some(({ prefix }) => key.startsWith(prefix))

/** A job that is just being deleted is gone for all who ask. */
const isGone = (kind: Asked['kind'], state: Document | null): boolean =>
  state === null || (kind === 'jobs' && state['isDeleting'] === true)

const isFree = (kind: Asked['kind'], state: Document | null): boolean =>
  state?.['status'] === (kind === 'tasks' ? 'open' : 'pending')

/** Whether what was answered came right after the state that was asked for, or is that state. */
function wasDoneOn(
  on: Answer['body'],
  { kind, what, mark }: Asked,
  body: Answer['body'],
  states: readonly (Document | null)[],
): boolean {
  const isDone = (state: Document | null) =>
    what === 'DELETE' ? isGone(kind, state) : isShown(kind, state, body)
  // A claim of which one hears late is stamped once more.
  const isOwn = (state: Document | null | undefined) =>
    what === 'claim' && state?.['claimedBy'] === mark
  return states.some((state, at) => {
    if (!isDone(state)) return false
    let before = at - 1
    while (isOwn(states[before])) before--
    return [state, states[before] ?? null].some((each) => isShown(kind, each, on))
  })
}

/** Whether an answer shows this state. */
const isShown = (kind: Asked['kind'], state: Document | null, body: Answer['body']): boolean =>
  state !== null &&
  Object.entries(layouts[kind].shown).every(
    ([stored, shown]) => (state[stored] ?? null) === (body[shown] ?? null),
  )

/** All that a document says; the content of a job is stored as base64. */
function wordsOf(document: Document): string {
  const content = [document['payload'], document['result']].filter((it) => typeof it === 'string')
  return [JSON.stringify(document), ...content.map((it) => Buffer.from(it, 'base64'))].join(' ')
}

const holdsMark = (text: string, mark: string): boolean => text.includes(`"${mark}"`)
