import { Shelf } from '../../src/store/drivers/memory/driver.ts'
import { type CommitResult, update, type Version, type Write } from '../../src/store/index.ts'

/** One write that was applied, in the order in which that happened. */
export interface Applied {
  readonly atMs: number
  readonly key: string
  readonly revision: string | null
  readonly value: Uint8Array | null
  /** All writes of one commit have one number. */
  readonly commit: number
  /** Its client had given up before: it reads, and decides, as if this might still come. */
  readonly isLate: boolean
}

/** What all processes share: what the real memory driver holds, and a record of everything ever written to it. */
export class Disk {
  readonly shelf: Shelf
  readonly #wallMs: () => number
  readonly log: Applied[] = []
  readonly #versions = new Map<string, Version[]>()
  readonly #listeners = new Set<(keys: readonly string[]) => void>()
  #commits = 0

  /** Empty unless it is given what it holds already. */
  constructor(wallMs: () => number, shelf = new Shelf()) {
    this.shelf = shelf
    this.#wallMs = wallMs
  }

  commit(writes: readonly Write[], isLate = false): CommitResult {
    const result = this.shelf.commit(writes)
    if (!result.ok) return result
    const at = this.#wallMs()
    const commit = ++this.#commits
    for (const [index, write] of writes.entries()) {
      const revision = result.revisions[index] ?? null
      const value = write.type === 'remove' ? null : new Uint8Array(write.value)
      this.log.push({ atMs: at, key: write.key, revision, value, commit, isLate })
      const versions = this.#versions.get(write.key) ?? []
      versions.unshift({ revision: revision ?? `removed-${commit}`, value, at })
      this.#versions.set(write.key, versions)
    }
    const keys = writes.map(({ key }) => key)
    for (const listener of this.#listeners) listener(keys)
    return result
  }

  /** What a rival does who writes the same bytes once more: whoever read before loses. */
  touch(key: string): void {
    const entry = this.shelf.get(key)
    if (entry !== null) this.commit([update(entry, entry.value)])
  }

  versionsOf(key: string): readonly Version[] {
    return this.#versions.get(key) ?? []
  }

  /** Takes superseded versions away, as a bucket's purge does; says how many. */
  purge(keyHolds: (key: string) => boolean, before: number): number {
    let count = 0
    for (const [key, versions] of this.#versions) {
      if (!keyHolds(key)) continue
      const kept = versions.filter(({ at, value }, index) =>
        index === 0 ? value !== null || at > before : at > before,
      )
      count += versions.length - kept.length
      if (kept.length === 0) this.#versions.delete(key)
      else this.#versions.set(key, kept)
    }
    return count
  }

  onCommit(listener: (keys: readonly string[]) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
