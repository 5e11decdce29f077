import assert from 'node:assert/strict'
import {
  encodeText,
  jsonCodec,
  Log,
  type Projection,
  type Step,
} from '../../src/collection/index.ts'
import type { Store } from '../../src/store/index.ts'

/** A small event-sourced model: names that have a colour, and an index of names by colour. */
interface Painted {
  readonly name: string
  readonly before: string | null
  readonly after: string
  readonly by: string
}

const text = (bytes: Uint8Array | null | undefined): string | null =>
  bytes ? new TextDecoder().decode(bytes) : null

function* project({ name, before, after }: Painted): Iterable<Projection> {
  yield { key: `ledger/name/${name}`, next: () => encodeText(after) }
  if (before !== null) yield { key: `ledger/colour/${before}/${name}`, next: () => null }
  yield { key: `ledger/colour/${after}/${name}`, next: () => encodeText('') }
}

export const ledgerOn = (store: Store): Log<Painted> =>
  new Log(store, {
    noun: 'the ledger',
    prefix: 'ledger/evt',
    checkpoint: 'ledger/seq',
    codec: jsonCodec((parsed) => {
      if (typeof (parsed as Painted)?.name !== 'string') throw new Error('it has no name')
      return parsed as Painted
    }),
    project,
  })

/** Paints names in one go, one step each; those that have the colour already are left. */
export const paint = (store: Store, names: readonly string[], colour: string, by = 'me') =>
  ledgerOn(store).append(
    names.map(
      (name): Step<Painted> =>
        async (_seq, pending) => {
          const stored = text((await store.get(`ledger/name/${name}`))?.value)
          const before = pending.findLast((event) => event.name === name)?.after ?? stored
          return before === colour ? [] : [{ name, before, after: colour, by }]
        },
    ),
  )

/** Numbers have no gap, and the documents are what a replay of the log says. */
export async function assertReplayed(store: Store): Promise<void> {
  const ledger = ledgerOn(store)
  const last = await ledger.complete()
  const colours = new Map<string, string>()
  let count = 0
  for await (const { seq, event } of ledger.read()) {
    assert.equal(seq, ++count)
    if (event) assert.equal(event.before, colours.get(event.name) ?? null, `event ${seq}`)
    if (event) colours.set(event.name, event.after)
  }
  assert.equal(last, count)
  const expected = [...colours].flatMap(([name, colour]) => [
    `ledger/colour/${colour}/${name}=`,
    `ledger/name/${name}=${colour}`,
  ])
  const found: string[] = []
  for (const prefix of ['ledger/colour', 'ledger/name'])
    for await (const { key, value } of store.scan(prefix)) found.push(`${key}=${text(value)}`)
  assert.deepEqual(found.sort(), expected.sort())
  const seq = await store.get('ledger/seq')
  assert.deepEqual(seq ? [...seq.value] : [0, 0, 0, 0, 0, 0, 0, 0], [...bytesOfSeq(count)])
}

function bytesOfSeq(seq: number): Uint8Array {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(seq))
  return bytes
}
