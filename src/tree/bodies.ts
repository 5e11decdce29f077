import { type Slot, SlotFile } from './slot-file.ts'

/** How much of them stays in memory: all of them, in most trees. */
const memoryBytesMaxDefault = 64_000_000

/**
 * The bodies of tasks, for whoever must tell of them when the tasks are gone. They may be long, and there may be very
 * many: what does not fit into memory lies in a temporary file.
 */
export class Bodies implements Disposable {
  readonly #memoryBytesMax: number
  readonly #file: SlotFile
  readonly #inMemory = new Map<string, string>()
  readonly #inFile = new Map<string, Slot>()
  #memoryBytes = 0

  constructor(memoryBytesMax = memoryBytesMaxDefault, folder?: string) {
    this.#memoryBytesMax = memoryBytesMax
    this.#file = new SlotFile(folder)
  }

  get memoryBytes(): number {
    return this.#memoryBytes
  }

  get fileBytes(): number {
    return this.#file.bytes
  }

  of(id: string): string | null {
    const slot = this.#inFile.get(id)
    return slot ? this.#file.read(slot).toString() : (this.#inMemory.get(id) ?? null)
  }

  /** Remembers the body of a task instead of the one that was known; null forgets it. */
  keep(id: string, body: string | null): void {
    if (this.of(id) === body) return
    this.#forget(id)
    if (body === null) return
    const bytes = sizeOf(body)
    const isFull = this.#memoryBytes + bytes > this.#memoryBytesMax
    const slot = isFull ? this.#file.write(Buffer.from(body)) : null
    if (slot) {
      this.#inFile.set(id, slot)
      return
    }
    this.#inMemory.set(id, body)
    this.#memoryBytes += bytes
  }

  #forget(id: string): void {
    const slot = this.#inFile.get(id)
    if (slot) this.#file.free(slot)
    this.#inFile.delete(id)
    this.#memoryBytes -= sizeOf(this.#inMemory.get(id) ?? '')
    this.#inMemory.delete(id)
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]()
  }
}

/** About what a text takes in memory: two bytes for each unit, at most. */
const sizeOf = (text: string): number => text.length * 2
