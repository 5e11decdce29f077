import type { Store, Write } from '../../src/store/index.ts'
import type { Applied } from './disk.ts'
import type { FaultRates } from './faults.ts'
import type { Kind } from './kinds.ts'
import type { Process } from './process.ts'
import type { Random } from './random.ts'
import type { Trouble } from './script.ts'
import type { SimStore } from './sim-store.ts'
import type { World } from './world.ts'

/** One thing that a client does, or that happens to it. What it is about is drawn when it runs, from `dice`. */
export interface Step {
  readonly atMs: number
  readonly client: number
  readonly what: string
  /** A seed of its own, so that leaving out other steps does not change this one. */
  readonly dice: number
}

/** A client in one life of its process. */
export interface Client {
  perform(what: string, random: Random): Promise<void>
  /** Called once nothing goes wrong any more, where its last life still lasts: what it waits for must come. */
  quiet?(): Promise<void>
  /** As a program would end: afterwards nothing of it may be left. */
  close(): Promise<void>
}

/** What a model's workload does, and what must hold. */
export interface Play {
  /** What is on the disk before the first client comes; nothing where it is left out. */
  readonly given?: readonly Write[]
  /** What one process does: it may open as many things as it likes, on this store or on more of them. */
  open(process: Process, store: Store, index: number): Client
  /** After every write that reaches the disk. */
  applied(writes: readonly Applied[]): void
  /** Once all clients are done, nothing goes wrong any more, and everything has had time to settle. */
  settled(observer: Observer): Promise<void>
}

export interface Model {
  readonly name: string
  /** How often clients do what. */
  readonly steps: Readonly<Record<string, number>>
  readonly clientsMax: number
  readonly stepsMax: number
  /** When each run begins, where nothing that outlives a run minds that time goes back; else after all before it. */
  readonly epochMs?: number
  open(scene: Scene): Play
}

/** What a workload has of the run that it is in. */
export interface Scene {
  readonly world: World
  readonly kind: Kind
  readonly random: Random
  /**
   * Whether all processes agree on the time that the store tells: it has a clock, or they share the clock of one machine,
   * which may jump. Elsewhere each has a clock of its own, and no lease can be trusted.
   */
  readonly hasOneClock: boolean
  /** How often things go wrong in this run, as long as its clients act. */
  readonly faults: FaultRates
  /** What has happened to processes so far. */
  readonly troubles: ReadonlySet<Trouble>
  /** Opens the store once more for a process that has several things open, or for a thread. It is closed with the first. */
  connect(process: Process): Store
  /** Something that must not be. The run goes on, for what follows may tell more. */
  violated(what: string): void
  note(process: Process | null, line: () => string): void
}

/** A process without faults, to look at the end with. */
export interface Observer {
  readonly process: Process
  readonly sim: SimStore
  readonly store: Store
  sleep(ms: number): Promise<void>
}
