import type { Context } from './context.ts'
import { typed } from './typed.ts'

const yes = ['1', 'true', 'yes', 'on']
const no = ['', '0', 'false', 'no', 'off']

/** What a variable or key that is true or false says. */
export function isYes(context: Context, { name, text }: { name: string; text: string }): boolean {
  const word = text.trim().toLowerCase()
  if (yes.includes(word)) return true
  if (no.includes(word)) return false
  throw context.usageError(`${name} takes no "${typed(text)}".`, 'Set it to true or false.')
}
