import type { Socket } from 'node:net'
import { Stalled } from './stalled.ts'

interface RoomOptions {
  /** How long a client may read nothing of what waits for it. */
  readonly msMax?: number | undefined
  /** How many bytes may wait to be read, on all connections, for another page to be made. */
  readonly bytesMax?: number | undefined
}

/** A client that reads nothing for so long is gone, and its answer only takes memory. */
const msDefault = 30_000
/** Thirty-two of the largest pages. */
const bytesDefault = 128_000_000
/** What is no page is answered at once. Beyond so many times as much, connections end for that. */
const overflow = 2
/** How much of the room is taken by what waits once connections were ended for more. */
const freed = 0.5
/** What a page may have that is being made, and how many may be: each takes a few times as much meanwhile. */
const pageBytesMax = 4_000_000
const pagesAtOnceMax = 16
/** Of so many items at most, a page is a short one. */
export const shortPageMax = 20
/** How often to look for room while somebody waits, and how often at who reads. */
const pressedMs = 100
const lookMs = 1_000
/** Whoever has read nothing for so long, or has not read all for so long, makes room for those who wait. */
const stalledMsMin = 5_000
const heldMsMin = 60_000

/** Who waits for pages of one kind. */
interface Lane {
  /**
   * By their names: the next is the first, and stands last then, so that nobody's many keep out another's one. Of one name
   * the newest comes first: where everybody has the same, as without tokens, those who read do not queue behind those who don't.
   */
  readonly turns: Map<string, (() => void)[]>
  /** How many times the usual room and number of pages these may take. */
  readonly share: number
}

const laneOf = (share: number): Lane => ({ turns: new Map(), share })

/**
 * The memory for answers that wait to be read. Pages are made a few at a time, and only while there is room for what waits;
 * where there is none, connections are ended whose clients have read nothing for longest. Short pages have more room, up to
 * where connections end, and turns of their own: whoever asks for one task does not wait for those who ask for a thousand.
 * Turns by name can't see to that: without tokens all callers are one.
 */
export class Room implements Disposable {
  readonly #msMax: number
  readonly #bytesMax: number
  readonly #short = laneOf(overflow)
  readonly #long = laneOf(1)
  #pressed: NodeJS.Timeout | null = null
  #sockets: ReadonlySet<Socket> = new Set()
  #stalled: Stalled | null = null
  #lookedAt = 0
  #making = 0
  /** At least what waits, for it is counted only when this seems to be too much. */
  #waitingMax = 0

  constructor({ msMax = msDefault, bytesMax = bytesDefault }: RoomOptions = {}) {
    this.#msMax = msMax
    this.#bytesMax = bytesMax
  }

  [Symbol.dispose](): void {
    this.#stalled?.[Symbol.dispose]()
    if (this.#pressed) clearInterval(this.#pressed)
    for (const { turns } of [this.#short, this.#long]) {
      for (const begin of [...turns.values()].flat()) begin()
      turns.clear()
    }
  }

  /** Watches over these connections. */
  follow(sockets: ReadonlySet<Socket>): void {
    this.#sockets = sockets
    this.#stalled = new Stalled(sockets, this.#msMax)
  }

  /** Notes that an answer was written to a connection. */
  wrote(socket: Socket | null): void {
    this.#waitingMax += socket?.writableLength ?? 0
    if (this.#waitingMax <= this.#bytesMax * overflow) return
    this.#count()
    if (this.#waitingMax > this.#bytesMax * overflow) this.#makeRoom(0)
  }

  /** Makes a page for somebody, once it is its turn. */
  page<T>(
    { name, isShort }: { name: string; isShort: boolean },
    make: () => T | Promise<T>,
  ): T | Promise<T> {
    const lane = isShort ? this.#short : this.#long
    if (lane.turns.size === 0 && this.#isThere(lane)) return this.#made(make)
    return new Promise<void>((begin) => {
      const own = lane.turns.get(name)
      if (own) own.push(begin)
      else lane.turns.set(name, [begin])
      this.#pressed ??= setInterval(() => this.#press(), pressedMs).unref()
    }).then(() => this.#made(make))
  }

  #made<T>(make: () => T | Promise<T>): T | Promise<T> {
    this.#making++
    // What was made is written soon after, and counts as what waits from then on.
    const end = () =>
      setImmediate(() => {
        this.#making--
        this.#begin()
      })
    try {
      const made = make()
      if (made instanceof Promise) return made.finally(end)
      end()
      return made
    } catch (error) {
      end()
      throw error
    }
  }

  #isThere({ share }: Lane): boolean {
    if (this.#making >= pagesAtOnceMax * share) return false
    const isFree = () => this.#waitingMax + this.#making * pageBytesMax < this.#bytesMax * share
    if (!isFree()) this.#count()
    // However little room there is, one page is made at a time.
    return isFree() || (this.#making === 0 && this.#waitingMax === 0)
  }

  #begin(): void {
    for (const lane of [this.#short, this.#long]) this.#beginIn(lane)
  }

  #beginIn(lane: Lane): void {
    const [next] = lane.turns
    if (!next || !this.#isThere(lane)) return
    const [name, own] = next
    lane.turns.delete(name)
    own.pop()?.()
    if (own.length > 0) lane.turns.set(name, own)
    setImmediate(() => this.#beginIn(lane))
  }

  #press(): void {
    if (this.#short.turns.size + this.#long.turns.size === 0) {
      if (this.#pressed) clearInterval(this.#pressed)
      this.#pressed = null
      return
    }
    if (performance.now() - this.#lookedAt >= lookMs) {
      this.#lookedAt = performance.now()
      void this.#stalled?.look()
    }
    if (!this.#isThere(this.#long) && this.#making === 0) this.#makeRoom(stalledMsMin)
    this.#begin()
  }

  #count(): void {
    this.#waitingMax = 0
    for (const { writableLength } of this.#sockets) this.#waitingMax += writableLength
  }

  /** Ends connections until half of it is free, those first that have been stalled longest. */
  #makeRoom(msMin: number): void {
    for (const { socket, stillMs, heldMs } of this.#stalled?.waiting() ?? []) {
      if (this.#waitingMax <= this.#bytesMax * freed) return
      if (stillMs < msMin && heldMs < heldMsMin) continue
      this.#waitingMax -= socket.writableLength
      socket.destroy()
    }
  }
}
