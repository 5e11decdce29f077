const decoder = new TextDecoder()
const prefix = 'utask_tags/'
const noIds: ReadonlySet<string> = new Set()

/** The lists of ids that are stored for each tag: under its name, or split by leading digits below it. */
export class TagLists {
  readonly #tags = new Map<string, Map<string, ReadonlySet<string>>>()

  static holds(key: string): boolean {
    return key.startsWith(prefix)
  }

  /** Says which ids the list no longer names, and of which tag. */
  note(key: string, value: Uint8Array | null): { tag: string; gone: string[] } {
    const path = key.slice(prefix.length)
    const [tag = ''] = path.split('/', 1)
    const lists = this.#tags.get(tag) ?? new Map<string, ReadonlySet<string>>()
    this.#tags.set(tag, lists)
    const before = lists.get(path) ?? noIds
    const after = value === null ? noIds : new Set(decoder.decode(value).split('\n'))
    if (value === null) lists.delete(path)
    else lists.set(path, after)
    return { tag, gone: [...before].filter((id) => !after.has(id)) }
  }

  names(tag: string, id: string): boolean {
    for (const ids of this.#tags.get(tag)?.values() ?? []) if (ids.has(id)) return true
    return false
  }

  /** The tags that have a list, each with its lists by the digits they are for. */
  *all(): Generator<{ tag: string; lists: ReadonlyMap<string, ReadonlySet<string>> }> {
    for (const [tag, lists] of this.#tags) {
      if (lists.size === 0) continue
      const byDigits = [...lists].map(([path, ids]) => [path.slice(tag.length + 1), ids] as const)
      yield { tag, lists: new Map(byDigits) }
    }
  }
}
