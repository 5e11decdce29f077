/** One message of the NATS protocol: a line, and for some a payload behind it. */
export interface Frame {
  readonly bytes: Buffer
  readonly verb: string
  /** For messages: what they are sent to, and where an answer is to go. */
  readonly subject?: string
  readonly reply?: string | undefined
}

const lineEnd = Buffer.from('\r\n')

/** How many words stand before an optional reply subject, for the messages that carry a payload. */
const wordsBeforeReply: Readonly<Record<string, number>> = { PUB: 2, HPUB: 2, MSG: 3, HMSG: 3 }
/** The words behind it: the sizes, of which the last one is that of the whole payload. */
const sizeWords: Readonly<Record<string, number>> = { PUB: 1, HPUB: 2, MSG: 1, HMSG: 2 }

/** Cuts what comes through a connection into frames, in either direction. */
export class Frames {
  #rest: Buffer = Buffer.alloc(0)

  /** The frames that are complete with this chunk. */
  push(chunk: Buffer): Frame[] {
    this.#rest = Buffer.concat([this.#rest, chunk])
    const frames: Frame[] = []
    for (let frame = this.#next(); frame; frame = this.#next()) frames.push(frame)
    return frames
  }

  #next(): Frame | null {
    const end = this.#rest.indexOf(lineEnd)
    if (end === -1) return null
    const words = this.#rest.toString('latin1', 0, end).split(/\s+/)
    const verb = words[0]!.toUpperCase()
    const before = wordsBeforeReply[verb]
    if (before === undefined) return { bytes: this.#take(end + lineEnd.length), verb }
    const length = end + Number(words.at(-1)) + 2 * lineEnd.length
    if (this.#rest.length < length) return null
    const hasReply = words.length > before + sizeWords[verb]!
    const reply = hasReply ? words[before] : undefined
    return { bytes: this.#take(length), verb, subject: words[1]!, reply }
  }

  #take(length: number): Buffer {
    const bytes = this.#rest.subarray(0, length)
    this.#rest = this.#rest.subarray(length)
    return bytes
  }
}
