/** Text that stands in the result as it is. */
class Verbatim {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** JSON of a value that JSON can hold, however deep it is: `JSON.stringify` runs out of stack at some thousand levels. */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return deepJsonOf(value)
  }
}

/** The same without recursion. */
function deepJsonOf(root: unknown): string {
  const parts: string[] = []
  const todo: unknown[] = [root]
  while (todo.length > 0) {
    const value = unwrapped(todo.pop())
    if (value instanceof Verbatim) parts.push(value.text)
    else if (Array.isArray(value)) {
      parts.push('[')
      todo.push(new Verbatim(']'))
      for (let at = value.length - 1; at >= 0; at--) {
        todo.push(isSaid(value[at]) ? value[at] : null)
        if (at > 0) todo.push(new Verbatim(','))
      }
    } else if (typeof value === 'object' && value !== null) {
      const fields = Object.entries(value).filter(([, field]) => isSaid(field))
      parts.push('{')
      todo.push(new Verbatim('}'))
      for (let at = fields.length - 1; at >= 0; at--) {
        const [name, field] = fields[at] as [string, unknown]
        todo.push(field, new Verbatim(`${at > 0 ? ',' : ''}${JSON.stringify(name)}:`))
      }
    } else parts.push(JSON.stringify(value))
  }
  return parts.join('')
}

const unwrapped = (value: unknown): unknown =>
  typeof (value as { toJSON?: unknown } | null)?.toJSON === 'function'
    ? (value as { toJSON: () => unknown }).toJSON()
    : value

/** What JSON leaves out of an object. */
const isSaid = (value: unknown): boolean =>
  value !== undefined && typeof value !== 'function' && typeof value !== 'symbol'
