import assert from 'node:assert/strict'

export interface Told {
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  readonly data: any
}

/** Reads server-sent events as a page does that must send a token: by fetch. */
export class Stream implements AsyncDisposable {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #ending: AbortController
  readonly #decoder = new TextDecoder()
  readonly #waiting: Told[] = []
  #text = ''

  private constructor(reader: ReadableStreamDefaultReader<Uint8Array>, ending: AbortController) {
    this.#reader = reader
    this.#ending = ending
  }

  static async open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Stream> {
    const ending = new AbortController()
    const response = await fetch(url, { headers, signal: ending.signal })
    assert.equal(response.status, 200, await (response.ok ? '' : response.text()))
    assert.equal(response.headers.get('content-type'), 'text/event-stream')
    return new Stream(
      (response.body as ReadableStream<Uint8Array>).getReader() as ReadableStreamDefaultReader,
      ending,
    )
  }

  /** The next event; null where the stream ends. */
  async next(): Promise<Told | null> {
    for (;;) {
      const told = this.#waiting.shift()
      if (told) return told
      const { value, done } = await this.#reader.read()
      if (done) return null
      this.#text += this.#decoder.decode(value, { stream: true })
      const parts = this.#text.split('\n\n')
      this.#text = parts.pop() as string
      this.#waiting.push(...parts.flatMap(eventIn))
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

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort()
    await this.#reader.cancel().catch(() => {})
  }
}

/** Comments and mere times to wait are none. */
function eventIn(text: string): Told[] {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1]
  const [event, data] = [field('event'), field('data')]
  return event === undefined ? [] : [{ event, data: JSON.parse(data as string) }]
}
