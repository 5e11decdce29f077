import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ulid } from 'ulid'

/** A place in the file. */
export interface Slot {
  readonly offset: number
  /** A power of two, so that what is freed fits again. */
  readonly size: number
  /** How much of it is in use. */
  readonly length: number
}

const sizeMin = 256

/**
 * Values in a temporary file that nobody else sees, and that is gone with the process. Places are reused, so it grows with
 * what is in it and not with time.
 */
export class SlotFile implements Disposable {
  readonly #folder: string
  readonly #free = new Map<number, number[]>()
  #descriptor: number | null = null
  #end = 0

  constructor(folder = tmpdir()) {
    this.#folder = folder
  }

  get bytes(): number {
    return this.#end
  }

  /** Null where there is no room, or no file can be made. */
  write(value: Uint8Array): Slot | null {
    const size = Math.max(sizeMin, 2 ** Math.ceil(Math.log2(Math.max(1, value.length))))
    const free = this.#free.get(size)?.pop()
    const slot = { offset: free ?? this.#end, size, length: value.length }
    try {
      this.#descriptor ??= hiddenFile(this.#folder)
      writeAll(this.#descriptor, value, slot.offset)
    } catch {
      if (free !== undefined) this.free(slot)
      return null
    }
    if (free === undefined) this.#end += size
    return slot
  }

  read({ offset, length }: Slot): Buffer {
    const value = Buffer.alloc(length)
    for (let done = 0; done < length; ) {
      const read = readSync(this.#descriptor as number, value, done, length - done, offset + done)
      if (read === 0) throw new Error('A temporary file was cut off.')
      done += read
    }
    return value
  }

  free({ offset, size }: Slot): void {
    const free = this.#free.get(size)
    if (free) free.push(offset)
    else this.#free.set(size, [offset])
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor)
    this.#descriptor = null
  }
}

/** Without a name as soon as it is open: then nothing is left of it, however the process ends. */
function hiddenFile(folder: string): number {
  const path = join(folder, `holdfast-bodies-${ulid()}`)
  const descriptor = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  return descriptor
}

function writeAll(descriptor: number, value: Uint8Array, offset: number): void {
  for (let done = 0; done < value.length; )
    done += writeSync(descriptor, value, done, value.length - done, offset + done)
}
