import { setTimeout as sleep } from 'node:timers/promises'
import type { Plans } from '../../src/plan/index.ts'
import { type Store, StoreError } from '../../src/store/index.ts'
import { Controller } from '../../src/tui/controller.ts'
import { initialState, type MonitorState, type Size } from '../../src/tui/state.ts'

const patienceMsMax = 60_000
const lookMs = 5

type Seen<T> = Exclude<T, false | null | undefined>

/** Looks until there is something to see; how often may go by how many looks there have been. */
export async function until<T>(
  what: string,
  look: () => Promise<T> | T,
  everyMs: number | ((looks: number) => number) = lookMs,
): Promise<Seen<T>> {
  const deadline = Date.now() + patienceMsMax
  for (let looks = 0; ; looks++) {
    const seen = await look()
    if (seen) return seen as Seen<T>
    if (Date.now() > deadline) throw new Error(`There was no ${what} within ${patienceMsMax} ms`)
    await sleep(typeof everyMs === 'number' ? everyMs : everyMs(looks))
  }
}

/** The monitor without its terminal. */
export class Watched implements Disposable {
  readonly controller: Controller

  constructor(plans: Plans, sid: string | null, size: Size = { columns: 80, rows: 24 }) {
    this.controller = new Controller(plans, initialState(sid, size, Date.now()))
  }

  get state(): MonitorState {
    return this.controller.drawn()
  }

  get titles(): string[] {
    return this.state.session?.tasks.map(({ title }) => title) ?? []
  }

  async loaded(): Promise<void> {
    await until('session', () => this.state.session?.isLoaded)
  }

  [Symbol.dispose](): void {
    this.controller.stop()
  }
}

/** A store that can be made to fail, or not to answer at all, or to watch without a word. */
export function troubled(store: Store) {
  const trouble = { now: 'none' as 'none' | 'down' | 'silent', isWatchMute: false }
  const troubledStore = new Proxy(store, {
    get(target, name) {
      const member = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        if (name === 'watch' && trouble.isWatchMute) return mute(args[1] as AbortSignal)
        if (name !== 'get' || trouble.now === 'none') return member.apply(target, args)
        return trouble.now === 'down' ? Promise.reject(down()) : new Promise(() => {})
      }
    },
  })
  return { store: troubledStore, trouble }
}

const down = () => new StoreError('down', 'The store is down.', 'Start it.')

async function* mute(signal: AbortSignal) {
  yield { type: 'resync' } as const
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
}
