import { randomByte } from '../../src/random/index.ts'
import { Disk } from './disk.ts'
import { drawFaults, type FaultRates, noFaults } from './faults.ts'
import { fillCount, inhabit } from './globals.ts'
import type { Kind } from './kinds.ts'
import type { Client, Model, Observer, Play, Scene, Step } from './model.ts'
import type { Process } from './process.ts'
import { Random } from './random.ts'
import { drawScript, isTrouble, type Trouble } from './script.ts'
import { type Network, SimStore } from './sim-store.ts'
import { Trace } from './trace.ts'
import { StuckError, World } from './world.ts'

/** All that decides a run. Steps are drawn from the seed, or given: a part of them, to see whether it still fails. */
export interface RunOptions {
  readonly model: Model
  readonly kind: Kind
  readonly seed: number
  readonly steps?: readonly Step[] | undefined
  readonly traced?: boolean | undefined
}

export interface Outcome {
  readonly steps: readonly Step[]
  readonly faults: FaultRates
  readonly violations: readonly string[]
  readonly trace: readonly string[]
  /** What was on the disk at the first violation, or at the end. */
  readonly disk: readonly string[]
  readonly events: number
}

const bounds = { eventsMax: 60_000, virtualMsMax: 7 * 86_400_000 }
const hourMs = 3_600_000
/** Makers of ids keep the latest time they have seen: each run begins later than all before have ended. */
let nextEpochMs = Date.UTC(2026, 0, 1)

/** Runs what the seed says, from an empty store to the last check. */
export async function run(options: RunOptions): Promise<Outcome> {
  const random = new Random(options.seed)
  const [scriptRandom, faultRandom, worldRandom] = [random.fork(), random.fork(), random.fork()]
  const world = new World(worldRandom, nextEpochMs, bounds)
  inhabit(world)
  alignRandomBytes()
  const steps = options.steps ?? drawScript(options.model, scriptRandom)
  const stage = await Stage.set(options, world, drawFaults(faultRandom))
  try {
    await stage.play(steps)
  } finally {
    // Whole hours, so that no run begins at another minute than it would alone; one more for clocks that are ahead.
    nextEpochMs += Math.ceil(world.nowMs / hourMs + 1) * hourMs
    inhabit(null)
  }
  return stage.outcome(steps)
}

/** The product keeps random bytes in advance: what an earlier run has left is used up, so that each begins with new ones. */
function alignRandomBytes(): void {
  for (const before = fillCount; fillCount === before; ) randomByte()
}

class Stage {
  readonly #world: World
  readonly #network: Network
  readonly #faults: FaultRates
  readonly #trace: Trace
  readonly #violations: string[] = []
  readonly #play: Play
  readonly #stores: SimStore[] = []
  readonly #lives = new Map<number, Life>()
  #diskAtFault: readonly string[] | null = null

  private constructor(world: World, network: Network, model: Model) {
    this.#world = world
    this.#network = network
    this.#faults = network.faults
    this.#trace = network.trace
    const scene: Scene = {
      world,
      kind: network.kind,
      random: world.random.fork(),
      violated: (what) => this.#violated(what),
      note: (process, line) => this.#trace.note(process, line),
    }
    this.#play = model.open(scene)
  }

  static async set({ model, kind, traced = false }: RunOptions, world: World, faults: FaultRates) {
    const trace = new Trace(traced)
    trace.begin(world)
    const wallMs = () => world.epochMs + Math.floor(world.nowMs)
    const disk = await Disk.open(wallMs)
    const stage = new Stage(world, { disk, kind, trace, faults, awayUntilMs: 0 }, model)
    disk.onCommit(() => stage.#applied())
    return stage
  }

  #seen = 0
  #applied(): void {
    const { log } = this.#network.disk
    const fresh = log.slice(this.#seen)
    this.#seen = log.length
    this.#guarded(() => this.#play.applied(fresh))
  }

  async play(steps: readonly Step[]): Promise<void> {
    try {
      await this.#world.until(this.#perform(steps))
      // What modules do at the end of a turn is done in this run.
      await this.#world.until(this.#world.sleep(1))
    } catch (error) {
      this.#violated(error instanceof StuckError ? error.message : shownError(error))
    }
  }

  outcome(steps: readonly Step[]): Outcome {
    return {
      steps,
      faults: this.#faults,
      violations: this.#violations,
      trace: this.#trace.lines,
      disk: this.#diskAtFault ?? this.#diskLines(),
      events: this.#world.eventCount,
    }
  }

  async #perform(steps: readonly Step[]): Promise<void> {
    const clients = [...new Set(steps.map(({ client }) => client))]
    await Promise.all(
      clients.map((client) =>
        this.#act(
          client,
          steps.filter((step) => step.client === client),
        ),
      ),
    )
    this.#network.faults = noFaults
    this.#network.awayUntilMs = 0
    await this.#closeAll()
    await this.#judge()
  }

  /** A client does its steps one after the other, in as many lives as it takes. */
  async #act(index: number, steps: readonly Step[]): Promise<void> {
    let at = 0
    for (let nth = 0; at < steps.length; nth++) {
      const life = this.#born(index, nth)
      await new Promise<void>((ended) => {
        life.onEnd = ended
        this.#world.as(life.process, () => {
          void (async () => {
            while (at < steps.length && !life.process.isDead) {
              const step = steps[at++] as Step
              await until(life.process, step.atMs)
              if (step.what === 'stop') return this.#stop(index, life, new Random(step.dice))
              if (isTrouble(step.what)) this.#trouble(step.what, life, new Random(step.dice))
              else
                await this.#guardedAsync(() =>
                  life.client.perform(step.what, new Random(step.dice)),
                )
            }
            ended()
          })()
        })
      })
    }
  }

  #born(index: number, nth: number): Life {
    const process = this.#world.process(`client ${index}${nth === 0 ? '' : `.${nth}`}`)
    // Where the store has a clock, its clients may be anywhere; else they share the clock of one machine.
    if (this.#network.kind.hasClock) process.clockOffsetMs = this.#offsetMs()
    const sim = new SimStore(this.#network, process)
    this.#stores.push(sim)
    const client = this.#world.as(process, () => this.#play.open(process, sim.store, index))
    const life = { process, sim, client, onEnd: () => {} }
    this.#lives.set(index, life)
    return life
  }

  /** How far off the clock of a machine is: on most by little, on some by hours. */
  #offsetMs(): number {
    const { random } = this.#world
    return random.chance(0.5) ? 0 : random.pick([-1, 1]) * random.logarithmic(1, 4 * hourMs)
  }

  /** As SIGTERM: the client closes what it has open, and its process ends. Later another one begins. */
  #stop(index: number, life: Life, random: Random): void {
    this.#trace.note(life.process, () => 'stop')
    void this.#end(index, life).then(() => {
      life.process.kill()
      this.#world.after(random.logarithmic(10, 10_000), null, life.onEnd)
    })
  }

  #trouble(what: Trouble, life: Life, random: Random): void {
    const { process } = life
    const ms = random.logarithmic(10, 90_000)
    this.#trace.note(process, () => `${what} (${Math.round(ms)} ms)`)
    if (what === 'pause') process.pause(ms)
    else if (what === 'jump') process.clockOffsetMs += random.chance(0.5) ? ms : -ms
    else if (what === 'away') this.#network.awayUntilMs = this.#world.nowMs + ms
    else {
      // At any of its next events, so also in the middle of what it has under way.
      this.#world.after(random.logarithmic(0.1, 5_000), null, () => {
        process.kill()
        this.#world.after(ms, null, life.onEnd)
      })
    }
  }

  /** Everything ends as programs do. */
  async #closeAll(): Promise<void> {
    for (const [index, life] of this.#lives) if (!life.process.isDead) await this.#end(index, life)
  }

  /** What ends leaves nothing behind, unless it is killed meanwhile. */
  async #end(index: number, { process, sim, client }: Life): Promise<void> {
    const end = async () => {
      await this.#guardedAsync(() => client.close())
      await sim[Symbol.asyncDispose]()
    }
    // From an event of its own, so that all that follows is its own.
    const ended = new Promise<void>((resolve) => {
      process.after(0, () => void end().then(resolve))
    })
    await Promise.race([ended, process.death])
    if (process.isDead) return
    await this.#world.sleep(1)
    if (sim.watchCount > 0) this.#violated(`client ${index} left ${sim.watchCount} watches open`)
    if (process.timerCount > 0) this.#violated(`client ${index} left ${process.timerCount} timers`)
  }

  async #judge(): Promise<void> {
    const process = this.#world.process('observer')
    const sim = new SimStore(this.#network, process)
    const observer: Observer = {
      process,
      sim,
      store: sim.store,
      sleep: (ms) => new Promise((resolve) => void process.after(ms, resolve)),
    }
    // From an event of the observer's, so that all that follows is its own.
    await new Promise<void>((resolve, reject) => {
      process.after(settleMs, () => void this.#play.settled(observer).then(resolve, reject))
    })
    await sim[Symbol.asyncDispose]()
  }

  #guarded(check: () => void): void {
    try {
      check()
    } catch (error) {
      this.#violated(shownError(error))
    }
  }

  async #guardedAsync(act: () => Promise<void>): Promise<void> {
    try {
      await act()
    } catch (error) {
      this.#violated(`Nobody expected ${shownError(error)}`)
    }
  }

  #violated(what: string): void {
    this.#trace.note(this.#world.current, () => `VIOLATION: ${what}`)
    this.#diskAtFault ??= this.#diskLines()
    if (!this.#violations.includes(what)) this.#violations.push(what)
  }

  #diskLines(): readonly string[] {
    const entries = new Map<string, string>()
    for (const { key, value } of this.#network.disk.log)
      if (value === null) entries.delete(key)
      else entries.set(key, new TextDecoder().decode(value))
    return [...entries]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => `${key} = ${value}`)
  }
}

/** So long all that is late has time to arrive. */
const settleMs = 60_000

/** A client in one life of its process. */
interface Life {
  readonly process: Process
  readonly sim: SimStore
  readonly client: Client
  onEnd: () => void
}

const until = (process: Process, atMs: number): Promise<void> =>
  new Promise((resolve) => void process.after(atMs - process.world.nowMs, resolve))

const shownError = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}\n${error.stack ?? ''}` : String(error)
