import type { JsonSchema } from '../schema/index.ts'
import { kitError } from './error.ts'
import type { Fields } from './route.ts'

/** The words of a query, each as what its schema says it is, as far as it can be read so. */
export function readQuery(text: string, fields: Fields): Record<string, unknown> {
  const words: Record<string, unknown> = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    if (name in words)
      throw kitError('INVALID_QUERY', `${name.slice(0, 80)} is given twice. Give it once.`)
    const schema = Object.hasOwn(fields, name) ? fields[name]?.schema : undefined
    words[name] = schema ? readWord(value, schema) : value
  }
  return words
}

/** What can't be read stays text, which the schema then refuses. */
function readWord(text: string, { type, items }: JsonSchema): unknown {
  if (type === 'array')
    return text.split(',').map((part) => readWord(part.trim(), items as JsonSchema))
  if (type === 'integer') return /^-?\d{1,15}$/.test(text) ? Number(text) : text
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return text
}
