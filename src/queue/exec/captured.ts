import { once } from 'node:events'
import type { Readable } from 'node:stream'

/** Why a process's error output is kept: its end tells what went wrong. */
const tailBytesMax = 4_096

/** What a process writes to its output, up to a limit; beyond it nothing is kept or read any more. */
export class Captured {
  readonly #stream: Readable
  readonly #ended: Promise<unknown>
  #chunks: Buffer[] = []
  #bytes = 0
  #isFlooded = false

  constructor(stream: Readable, bytesMax: number, onFlood: () => void) {
    this.#stream = stream
    this.#ended = once(stream, 'close')
    stream.on('error', () => {})
    stream.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.byteLength
      if (this.#bytes <= bytesMax) this.#chunks.push(chunk)
      else if (!this.#isFlooded) {
        this.#isFlooded = true
        this.#chunks = []
        stream.destroy()
        onFlood()
      }
    })
  }

  get isFlooded(): boolean {
    return this.#isFlooded
  }

  /** All of it. What left the group may hold the stream open: that is waited for only so long. */
  async text(msMax: number): Promise<string> {
    await closed(this.#stream, this.#ended, msMax)
    return Buffer.concat(this.#chunks).toString('utf8')
  }
}

/** The last that a process writes. */
export class Tail {
  #bytes = Buffer.alloc(0)
  #isCut = false

  constructor(stream: Readable) {
    stream.on('error', () => {})
    stream.on('data', (chunk: Buffer) => {
      const all = Buffer.concat([this.#bytes, chunk.subarray(-tailBytesMax)])
      this.#isCut ||= this.#bytes.byteLength + chunk.byteLength > tailBytesMax
      this.#bytes = all.subarray(-tailBytesMax)
    })
  }

  get text(): string {
    const text = this.#bytes.toString('utf8')
    // The beginning of a line that is cut says little.
    return (this.#isCut ? `…${text.replace(/^[^\n]*\n(?=.)/s, '')}` : text).trim()
  }
}

async function closed(stream: Readable, ended: Promise<unknown>, msMax: number): Promise<void> {
  if (stream.closed) return
  const timer = setTimeout(() => stream.destroy(), msMax)
  await ended.catch(() => {})
  clearTimeout(timer)
}
