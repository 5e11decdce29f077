import { randomByte } from '../../src/random/index.ts'
import type { Store } from '../../src/store/index.ts'
import { Disk } from './disk.ts'
import { drawFaults, type FaultRates, noFaults } from './faults.ts'
import { Findings, shownError } from './findings.ts'
import { fillCount, inhabit } from './globals.ts'
import type { Kind } from './kinds.ts'
import { Life } from './life.ts'
import type { Model, Observer, Play, Scene, Step } from './model.ts'
import type { Network } from './network.ts'
import type { Process } from './process.ts'
import { Random } from './random.ts'
import { drawScript, isTrouble, type Trouble } from './script.ts'
import { SimStore } from './sim-store.ts'
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
  /** The disk before and after the first violation, or at the end. */
  readonly state: readonly string[]
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
  const world = new World(worldRandom, options.model.epochMs ?? nextEpochMs, bounds)
  inhabit(world)
  alignRandomBytes()
  const steps = options.steps ?? drawScript(options.model, scriptRandom)
  const stage = Stage.set(options, world, drawFaults(faultRandom))
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
  readonly #findings: Findings
  readonly #hasOneClock: boolean
  readonly #play: Play
  readonly #lives = new Map<number, Life>()
  readonly #troubles = new Set<Trouble>()

  private constructor(world: World, network: Network, model: Model) {
    this.#world = world
    this.#network = network
    this.#faults = network.faults
    this.#trace = network.trace
    this.#findings = new Findings(network.disk)
    this.#hasOneClock = network.kind.hasClock || world.random.chance(0.75)
    const scene: Scene = {
      world,
      kind: network.kind,
      random: world.random.fork(),
      hasOneClock: this.#hasOneClock,
      faults: network.faults,
      troubles: this.#troubles,
      connect: (process) => this.#connect(process),
      violated: (what) => this.#violated(what),
      note: (process, line) => this.#trace.note(process, line),
    }
    this.#play = model.open(scene)
  }

  static set({ model, kind, traced = false }: RunOptions, world: World, faults: FaultRates) {
    const trace = new Trace(traced)
    trace.begin(world)
    const wallMs = () => world.epochMs + Math.floor(world.nowMs)
    const disk = new Disk(wallMs)
    const stage = new Stage(world, { disk, kind, trace, faults, awayUntilMs: 0 }, model)
    disk.onCommit(() => stage.#applied())
    const { given = [] } = stage.#play
    if (given.length > 0) disk.commit(given)
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
    // It ends a real program.
    const unhandled = (error: unknown) =>
      this.#violated(`Nobody handled a rejection: ${shownError(error)}`)
    process.on('unhandledRejection', unhandled)
    try {
      await this.#world.until(this.#perform(steps))
      // What modules do at the end of a turn is done in this run.
      await this.#world.until(this.#world.sleep(1))
    } catch (error) {
      this.#violated(error instanceof StuckError ? error.message : shownError(error))
    } finally {
      process.off('unhandledRejection', unhandled)
    }
  }

  outcome(steps: readonly Step[]): Outcome {
    return {
      steps,
      faults: this.#faults,
      violations: this.#findings.violations,
      trace: this.#trace.lines,
      state: this.#findings.state,
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
    await Promise.all(
      [...this.#lives.values()].map((life) => this.#guardedAsync(() => life.quiet())),
    )
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
                await this.#guardedAsync(async () =>
                  life.client?.perform(step.what, new Random(step.dice)),
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
    // Where the store has a clock, its clients may be anywhere; else most share the clock of one machine.
    if (this.#network.kind.hasClock || !this.#hasOneClock) process.clockOffsetMs = this.#offsetMs()
    const life = new Life(process)
    this.#lives.set(index, life)
    const store = life.connect(this.#network)
    life.client = this.#world.as(process, () => this.#play.open(process, store, index))
    return life
  }

  #connect(process: Process): Store {
    const owner = process.owner ?? process
    const life = [...this.#lives.values()].find((life) => life.process === owner)
    if (!life) throw new Error(`${process.name} is no client.`)
    return life.connect(this.#network, process)
  }

  /** How far off the clock of a machine is: on most by little, on some by hours. */
  #offsetMs(): number {
    const { random } = this.#world
    return random.chance(0.5) ? 0 : random.pick([-1, 1]) * random.logarithmic(1, 4 * hourMs)
  }

  /** As SIGTERM: the client closes what it has open, and its process ends. Later another one begins. */
  #stop(index: number, life: Life, random: Random): void {
    this.#trace.note(life.process, () => 'stop')
    life.restartMs = random.logarithmic(10, 10_000)
    void this.#end(index, life).then(() => life.process.kill())
  }

  #trouble(what: Trouble, life: Life, random: Random): void {
    const { process } = life
    const ms = random.logarithmic(10, 90_000)
    this.#troubles.add(what)
    this.#trace.note(process, () => `${what} (${Math.round(ms)} ms)`)
    const [nth, when] = [random.int(1, 6), random.pick(['before', 'after'] as const)]
    const crash = () => {
      this.#trace.note(process, () => 'crashed')
      life.restartMs = ms
      process.kill()
    }
    const pause = () => process.pause(ms)
    // At any of its next events, so also in the middle of what it has under way.
    const soonMs = random.logarithmic(0.1, 5_000)
    if (what === 'pause') this.#world.after(random.chance(0.5) ? 0 : soonMs, null, pause)
    else if (what === 'pauseAtCommit') process.atCommit(nth, 'after', pause)
    else if (what === 'jump') this.#jump(process, random.chance(0.5) ? ms : -ms)
    else if (what === 'away') this.#network.awayUntilMs = this.#world.nowMs + ms
    else if (what === 'crashAtCommit') process.atCommit(nth, when, crash)
    else this.#world.after(soonMs, null, crash)
  }

  /** Of its own clock, or of the one that all of them share. */
  #jump(process: Process, ms: number): void {
    const { kind } = this.#network
    if (kind.hasClock || !this.#hasOneClock) process.clockOffsetMs += ms
    else this.#world.clockOffsetMs += ms
  }

  /** Everything ends as programs do. */
  async #closeAll(): Promise<void> {
    for (const [index, life] of this.#lives) if (!life.process.isDead) await this.#end(index, life)
  }

  async #end(index: number, life: Life): Promise<void> {
    const left = await life.end()
    if (left.length > 0) this.#violated(`client ${index} left ${left.join(', ')}`)
  }

  async #judge(): Promise<void> {
    this.#network.isSettling = true
    const process = this.#world.process('observer')
    const sim = new SimStore(this.#network, process)
    const sleep = (ms: number) => new Promise<void>((resolve) => void process.after(ms, resolve))
    const observer: Observer = { process, sim, store: sim.store, sleep }
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
    this.#findings.add(what)
  }
}

/** So long all that is late has time to arrive. */
const settleMs = 60_000

const until = (process: Process, atMs: number): Promise<void> =>
  new Promise((resolve) => void process.after(atMs - process.world.nowMs, resolve))
