import type { JsonSchema } from '../../../src/schema/index.ts'

/** Draws by a seed: what failed once fails again. */
export class Draw {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 up to 1; mulberry32. */
  number(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }

  below(count: number): number {
    return Math.floor(this.number() * count)
  }

  isOnce(in_: number): boolean {
    return this.below(in_) === 0
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T
  }
}

/** What no route means, but somebody may send. */
const junk: readonly unknown[] = [
  ...[null, true, -1, 0, 1.5, 1e300, '', ' ', '\u0000', '\u202e', '\ud800', 'x'.repeat(3_000)],
  ...[[], {}, [[]], { __proto__: null, constructor: 1 }, '../../etc/passwd', '%00', '$ref', 'NaN'],
]

const words = ['x', 'milk', 'a b', 'ready', 'zoë', '日本', 'a,b', 'tag/one', '2030-01-01T00:00:00Z']

/** A value that a schema takes, mostly. `ids` are things that are there. */
export function valueFor(
  draw: Draw,
  schema: JsonSchema,
  ids: readonly string[],
  depth = 0,
): unknown {
  if (draw.isOnce(25) || depth > 4) return draw.of(junk)
  const {
    enum: choices,
    properties,
    required = [],
    items,
  } = schema as {
    enum?: readonly unknown[]
    properties?: Readonly<Record<string, JsonSchema>>
    required?: readonly string[]
    items?: JsonSchema
  }
  if (choices) return draw.of(choices)
  const types = [schema.type ?? 'object'].flat()
  switch (draw.of(types)) {
    case 'string':
      return draw.isOnce(3) && ids.length > 0 ? draw.of(ids) : draw.of(words)
    case 'integer':
    case 'number':
      return draw.below(6)
    case 'boolean':
      return draw.isOnce(2)
    case 'null':
      return null
    case 'array':
      return Array.from({ length: draw.below(4) }, () =>
        valueFor(draw, items ?? {}, ids, depth + 1),
      )
    default: {
      const fields = Object.entries(properties ?? {}).filter(
        ([name]) => (required.includes(name) && !draw.isOnce(30)) || draw.isOnce(3),
      )
      const values = fields.map(([name, field]) => [name, valueFor(draw, field, ids, depth + 1)])
      const more = draw.isOnce(40) ? [[draw.of(words), draw.of(junk)]] : []
      return Object.fromEntries([...values, ...more])
    }
  }
}
