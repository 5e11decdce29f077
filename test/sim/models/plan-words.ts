import type { Random } from '../random.ts'

/** So few that clients often mean the same task. */
const titles = ['one', 'two', 'three', 'four', 'five', 'six']

export const someWords = (random: Random): { title: string; description: string } => ({
  title: random.pick(titles),
  description: random.pick(['', 'why']),
})

/** A new title, a new description, or both. */
export function someParts(random: Random): { title?: string; description?: string } {
  const { title, description } = someWords(random)
  return random.pick([{ title }, { description }, { title, description }])
}

export const someReason = (random: Random): string | null => (random.chance(0.7) ? 'because' : null)
