import { createHash } from 'node:crypto'

export interface FaultOptions<Kind extends string> {
  /** The share of requests, 0 to 1, to which something happens. */
  readonly share?: number
  /** Which faults there are, each as likely as the others; all by default. */
  readonly kinds?: readonly Kind[]
  /** The same seed and order of requests give the same faults. */
  readonly seed?: number | string
  readonly delayMsMax?: number
}

/** Decides what goes wrong, by a seed and on demand, and counts it. */
export class Faults<Kind extends string, Request> {
  readonly counts: Record<Kind, number>
  readonly #options: FaultOptions<Kind>
  readonly #kinds: readonly Kind[]
  readonly #planned: { kind: Kind; matches: (request: Request) => boolean }[] = []
  #calls = 0

  constructor(allKinds: readonly Kind[], options: FaultOptions<Kind>) {
    this.#options = options
    this.#kinds = options.kinds ?? allKinds
    this.counts = Object.fromEntries(allKinds.map((kind) => [kind, 0])) as Record<Kind, number>
  }

  /** The next request that matches meets with this, whatever the seed says. */
  next(kind: Kind, matches: (request: Request) => boolean = () => true): void {
    this.#planned.push({ kind, matches })
  }

  /** What is to happen to a request; null for nothing. */
  draw(request: Request): Kind | null {
    const planned = this.#planned.findIndex(({ matches }) => matches(request))
    const kind = planned === -1 ? this.#drawBySeed() : this.#planned.splice(planned, 1)[0]!.kind
    if (kind !== null) this.counts[kind]++
    return kind
  }

  delayMs(): number {
    return this.random() * (this.#options.delayMsMax ?? 100)
  }

  /** From 0 to 1, by the seed and how many were drawn before. */
  random(): number {
    const digest = createHash('sha256')
      .update(`${this.#options.seed ?? 0}:${this.#calls++}`)
      .digest()
    return digest.readUInt32BE(0) / 2 ** 32
  }

  #drawBySeed(): Kind | null {
    if (this.random() >= (this.#options.share ?? 0)) return null
    return this.#kinds[Math.floor(this.random() * this.#kinds.length)] ?? null
  }
}
