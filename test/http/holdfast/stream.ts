import assert from 'node:assert/strict'
import { EventReader } from '../stream.ts'

interface Told {
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  readonly data: any
}

/** Hears what changes, as a page does that must send a token: by fetch. */
export class Stream implements AsyncDisposable {
  readonly #reader: EventReader

  private constructor(reader: EventReader) {
    this.#reader = reader
  }

  static async open(
    url: string,
    { models, headers = {} }: { models?: string; headers?: Record<string, string> } = {},
  ): Promise<Stream> {
    const query = models === undefined ? '' : `?models=${models}`
    const place = { path: `/api/changes${query}`, headers }
    return new Stream(await EventReader.open(url, undefined, place))
  }

  /** The next event; null where the stream ends. Comments and mere times to wait are none. */
  async next(): Promise<Told | null> {
    for (;;) {
      const block = await this.#reader.block()
      if (block === null) return null
      const { event, data } = block
      if (event !== undefined) return { event, data: JSON.parse(data as string) }
    }
  }

  /** Goes on until an event comes that is meant. */
  async until(isMeant: (told: Told) => boolean): Promise<Told> {
    for (;;) {
      const told = await this.next()
      assert.ok(told, 'the stream ended')
      if (isMeant(told)) return told
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#reader[Symbol.asyncDispose]()
  }
}
