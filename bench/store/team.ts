import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Place } from './places.js'
import type { Kind, Order, Step } from './workload.js'

interface TeamOptions {
  readonly kind: Kind
  readonly side: 'raw' | 'driver'
  readonly processes: number
  readonly place: Place
  readonly lane: string
}

/** The processes of one side of the comparison, which do everything at once. */
export class Team implements AsyncDisposable {
  readonly #place: Place
  readonly #lanes: ChildProcess[] = []

  private constructor(place: Place) {
    this.#place = place
  }

  static async start(options: TeamOptions): Promise<Team> {
    const team = new Team(options.place)
    try {
      for (let index = 0; index < options.processes; index++)
        team.#lanes.push(await startLane(options, index))
      await team.#give('warm up')
      return team
    } catch (error) {
      await team[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Everyone starts at once; operations a second are the sum of what they did over the time of the slowest. */
  async measure(step: Step): Promise<number> {
    const start = performance.now()
    const counts = await this.#give(step)
    const seconds = (performance.now() - start) / 1000
    return counts.reduce((sum, count) => sum + count, 0) / seconds
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#lanes.map(endLane))
    await this.#place[Symbol.asyncDispose]()
  }

  /** Gives all of them the same order at once; answers with how many operations each did. */
  #give(order: Order): Promise<number[]> {
    return Promise.all(
      this.#lanes.map(async (lane) => {
        lane.send(order)
        const [count] = (await once(lane, 'message')) as [number]
        return count
      }),
    )
  }
}

async function startLane(
  { kind, side, place, lane }: TeamOptions,
  index: number,
): Promise<ChildProcess> {
  const script = new URL('./lane.js', import.meta.url)
  const env = { ...process.env, ...place.environment }
  const child = fork(script, [kind, side, place.url, `${lane}-${index}`], { env })
  await once(child, 'message')
  return child
}

async function endLane(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.send('close' satisfies Order)
  await ended
}
