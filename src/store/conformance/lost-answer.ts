import assert from 'node:assert/strict'
import { create, type Head, remove, type Store, update, type Write } from '../store.ts'
import { bytes, type Case, type Ground, put, putText, text } from './case.ts'

const kinds: readonly {
  readonly name: string
  readonly write: (head: Head) => Write
  readonly key: string
  /** What a reader must find once the commit has been applied. */
  readonly left: string | null
}[] = [
  {
    name: 'a creation',
    write: () => create('ns/new', bytes('2')),
    key: 'ns/new',
    left: '2',
  },
  { name: 'an update', write: (head) => update(head, bytes('2')), key: 'ns/a', left: '2' },
  { name: 'a removal', write: remove, key: 'ns/a', left: null },
]

/** What a commit says whose answer gets lost: its result, or the code of the failure. */
async function commitLosingAnswer(ground: Ground, write: Write) {
  await using lossy: Store = await ground.openLosingAnswer()
  return await lossy.commit([write]).catch(({ code }: { code: unknown }) => ({ ok: code }) as const)
}

const applied: readonly Case[] = kinds.map(({ name, write, key, left }) => ({
  name: `of ${name} that was applied: unknown_outcome, or settled as what happened; no false conflict`,
  async run(store, ground) {
    const [head] = await putText(store, 'ns/a')
    const said = await commitLosingAnswer(ground, write(head!))
    const entry = await store.get(key)
    assert.equal(text(entry), left)
    if (said.ok === 'unknown_outcome') return
    assert.deepEqual(said, { ok: true, revisions: [entry?.revision ?? null] })
  },
}))

const refused: readonly Case[] = kinds.map(({ name, write, key }) => ({
  name: `of ${name} that conflicted: unknown_outcome, or the conflict; no false success`,
  async run(store, ground) {
    const [head] = await putText(store, 'ns/a')
    // Somebody else was faster with the very same write, so that its bytes prove nothing.
    await put(store, write(head!))
    const before = await store.get(key)
    const said = await commitLosingAnswer(ground, write(head!))
    assert.ok(said.ok === false || said.ok === 'unknown_outcome', `it said ${said.ok}`)
    assert.deepEqual(await store.get(key), before)
  },
}))

export const lostAnswerCases: readonly Case[] = [...applied, ...refused]
