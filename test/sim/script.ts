import type { Model, Step } from './model.ts'
import type { Random } from './random.ts'

/** What happens to processes, beside what clients do: how often, compared with each other. */
const troubles = {
  crash: 2,
  crashAtCommit: 2,
  pause: 2,
  pauseAtCommit: 3,
  jump: 2,
  away: 2,
  stop: 2,
} as const
export type Trouble = keyof typeof troubles

export const isTrouble = (what: string): what is Trouble => Object.hasOwn(troubles, what)

const gapMsMax = 20_000

/** Draws what clients do, and what happens to them. */
export function drawScript(model: Model, random: Random): Step[] {
  const clients = random.int(2, model.clientsMax)
  const count = random.int(4, model.stepsMax)
  const isCalm = random.chance(0.3)
  const gapMs = random.logarithmic(1, gapMsMax)
  const steps: Step[] = []
  let atMs = 0
  for (let nth = 0; nth < count; nth++) {
    atMs += random.chance(0.3) ? 0 : random.logarithmic(0.1, gapMs)
    const isTroubled = !isCalm && random.chance(0.1)
    const what = random.weighted<string>(isTroubled ? troubles : model.steps)
    steps.push({ atMs, client: random.int(0, clients - 1), what, dice: random.int(0, 2 ** 31) })
  }
  return steps
}
