import { eventLoopTurn } from '../store/internal.ts'
import type { Status } from './status.ts'
import type { TaskDocument } from './task.ts'

/** What of a task says where the tasks below it are. */
export type Link = Pick<TaskDocument, 'parent_id' | 'status' | 'doomed'>

/** A task that is stored, but that nobody can read: the chain ends below it. */
export const unreadable = 'unreadable'

/** Where a task is, as the chain of its parents says. */
export interface Place {
  /** How many ancestors it has. */
  readonly depth: number
  /** Whether neither it nor an ancestor is deleted, and no ancestor is missing. */
  readonly isThere: boolean
  /** Whether an ancestor is blocked or closed, so that nobody can start it. */
  readonly isHalted: boolean
}

const gone: Place = { depth: 0, isThere: false, isHalted: false }
const top: Place = { depth: 0, isThere: true, isHalted: false }

/**
 * The places of many tasks. Each is found once, and those below it start from there: a chain costs its length,
 * however many of its tasks are asked for. No recursion: a chain may have thousands of levels.
 */
export class Places {
  readonly #linkOf: (id: string) => Link | typeof unreadable | null | undefined
  readonly #known = new Map<string, Place>()

  constructor(linkOf: (id: string) => Link | typeof unreadable | null | undefined) {
    this.#linkOf = linkOf
  }

  async of(id: string): Promise<Place> {
    const path = new Map<string, Link>()
    let above = this.#known.get(id)
    for (let at = id; above === undefined; ) {
      const turn = eventLoopTurn()
      if (turn) await turn
      const link = this.#linkOf(at)
      if (!link || link === unreadable || link.doomed !== null) {
        above = gone
        this.#known.set(at, gone)
        break
      }
      path.set(at, link)
      const parent = link.parent_id
      if (parent === null || this.#linkOf(parent) === unreadable) {
        path.delete(at)
        above = this.#keep(at, top)
      } else if (path.has(parent)) above = this.#keepCircle(path, parent)
      else {
        above = this.#known.get(parent)
        at = parent
      }
    }
    for (const at of [...path.keys()].reverse()) {
      const turn = eventLoopTurn()
      if (turn) await turn
      above = this.#keep(at, this.#below(at, above as Place))
    }
    return above as Place
  }

  #below(id: string, above: Place): Place {
    if (!above.isThere) return gone
    const parent = (this.#linkOf(id) as Link).parent_id as string
    const { status } = this.#linkOf(parent) as Link
    return {
      depth: above.depth + 1,
      isThere: true,
      isHalted: above.isHalted || halts(status),
    }
  }

  /** Tampering alone can make a circle; it must not hold up everybody. Each of its tasks is below all others. */
  #keepCircle(path: Map<string, Link>, first: string): Place {
    const ids = [...path.keys()]
    const circle = ids.slice(ids.indexOf(first))
    const isHalted = circle.some((id) => halts((path.get(id) as Link).status))
    const place = { depth: circle.length - 1, isThere: true, isHalted }
    for (const id of circle) {
      this.#keep(id, place)
      path.delete(id)
    }
    return place
  }

  #keep(id: string, place: Place): Place {
    this.#known.set(id, place)
    return place
  }
}

const halts = (status: Status): boolean => status === 'blocked' || status === 'closed'
