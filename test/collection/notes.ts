import assert from 'node:assert/strict'
import {
  Collection,
  type Definition,
  EntryIndex,
  jsonCodec,
  SetIndex,
} from '../../src/collection/index.ts'
import type { Store } from '../../src/store/index.ts'

/** A small model with an index of every kind. */
interface Note {
  readonly title: string
  readonly status: string
  readonly owner: string | null
  readonly labels: readonly string[]
}

export const noteOf = (title: string, more: Partial<Note> = {}): Note => ({
  title,
  status: 'open',
  owner: null,
  labels: [],
  ...more,
})

const byStatus = new EntryIndex<Note>({
  prefix: 'notes/status',
  entries: (id, { status }) => [[`${status}/${id}`, '']],
  idOf: (path) => path.split('/')[1] ?? null,
})

/** The key says whose, the value which: a small value, of which each owner has one. */
const byOwner = new EntryIndex<Note>({
  prefix: 'notes/owner',
  entries: (id, { owner }) => (owner === null ? [] : [[owner, id]]),
  idOf: (_path, value) => value,
})

export const byLabel = new SetIndex<Note>({ prefix: 'note_labels', sets: ({ labels }) => labels })

const noteDefinition: Definition<Note> = {
  noun: 'note',
  prefix: 'notes/doc',
  codec: jsonCodec((parsed) => {
    if (typeof (parsed as Note)?.title !== 'string') throw new Error('it has no title')
    return parsed as Note
  }),
  indexes: [byStatus, byOwner, byLabel],
}

export const notesOn = (store: Store): Collection<Note> => new Collection(store, noteDefinition)

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** What lies in the indexes and what should: read and worked out here by hand, not by what is tested. */
async function indexesOf(store: Store) {
  const there = new Set<string>()
  for (const prefix of ['notes/status', 'notes/owner'])
    for await (const { key, value } of store.scan(prefix)) there.add(`${key}=${text(value)}`)
  for await (const { key, value } of store.scan('note_labels'))
    for (const id of text(value).split('\n')) there.add(`${key.split('/')[1]} has ${id}`)
  const implied = new Set<string>()
  for await (const { key, value } of store.scan('notes/doc')) {
    const id = key.split('/')[2] as string
    const note = JSON.parse(text(value)) as Note
    implied.add(`notes/status/${note.status}/${id}=`)
    if (note.owner !== null) implied.add(`notes/owner/${note.owner}=${id}`)
    for (const label of note.labels) implied.add(`${label} has ${id}`)
  }
  return { there, implied }
}

export async function assertExact(store: Store): Promise<void> {
  const { there, implied } = await indexesOf(store)
  assert.deepEqual([...there].sort(), [...implied].sort())
}

/** There may be a mark too many, never one too few. */
export async function assertNoneMissing(store: Store): Promise<void> {
  const { there, implied } = await indexesOf(store)
  assert.deepEqual(
    [...implied].filter((mark) => !there.has(mark)),
    [],
  )
}
