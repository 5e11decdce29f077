import type { Store } from '../../src/store/index.ts'
import { Random } from '../sim/random.ts'
import { Client, type Ground } from './client.ts'
import type { Note } from './history.ts'
import { Recorder } from './recorder.ts'

interface RoundOptions {
  /** Each client has one of them; several may share one. */
  readonly stores: readonly Store[]
  readonly clients: number
  /** How many calls each client makes. */
  readonly calls: number
  readonly ground: Ground
  readonly seed: number
  /** The most writes in one commit, where it is less than what the store takes. */
  readonly writesMax?: number
}

const writesMaxDefault = 3

/** Lets clients of this process call stores at the same time, and notes what they see. */
export async function recordRound(options: RoundOptions): Promise<Note[]> {
  const { stores, clients, calls, ground, seed, writesMax = writesMaxDefault } = options
  const notes: Note[] = []
  const random = new Random(seed)
  const act = (_: unknown, index: number): Promise<void> => {
    const store = stores[index % stores.length] as Store
    const name = `c${index}`
    return new Client({
      name,
      recorder: new Recorder(store, name, (note) => notes.push(note)),
      random: random.fork(),
      writesMax: Math.min(writesMax, store.limits.commitWritesMax),
    }).act(ground, calls)
  }
  await Promise.all(Array.from({ length: clients }, act))
  return notes
}

/** Reads everything once more, when all is quiet: what was acknowledged last must be there. */
export async function recordEnd(store: Store, { prefix, keys }: Ground): Promise<Note[]> {
  const notes: Note[] = []
  const recorder = new Recorder(store, 'last', (note) => notes.push(note))
  for (const key of keys) await recorder.get(key)
  await recorder.list(prefix, keys, true)
  await recorder.list(prefix, keys, false)
  return notes
}
