interface Seen {
  readonly id?: string
  readonly event?: string
  readonly data?: string
}

/** Where to read, if not the events of the tree. */
interface Place {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A reader of server-sent events. */
export class EventReader implements AsyncDisposable {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder = new TextDecoder()
  #text = ''
  lastId: string | undefined

  private constructor(response: Response) {
    this.#reader = (response.body as ReadableStream<Uint8Array>).getReader()
  }

  static async open(
    url: string,
    lastId?: string,
    { path = '/api/events', headers: more = {} }: Place = {},
  ): Promise<EventReader> {
    const headers = { ...more, ...(lastId === undefined ? {} : { 'Last-Event-ID': lastId }) }
    const response = await fetch(`${url}${path}`, { headers })
    if (response.status !== 200) throw new Error(`answered with ${response.status}`)
    return new EventReader(response)
  }

  /** The next block, or null at the end. */
  async block(): Promise<Seen | null> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end !== -1) {
        const lines = this.#text.slice(0, end).split('\n')
        this.#text = this.#text.slice(end + 2)
        const seen: Record<string, string> = {}
        for (const line of lines) {
          const [, name, value] = /^(\w+): (.*)$/.exec(line) ?? []
          if (name !== undefined) seen[name] = value as string
        }
        if (seen['id'] !== undefined) this.lastId = seen['id']
        return seen
      }
      const { value, done } = await this.#reader.read()
      if (done) return null
      this.#text += this.#decoder.decode(value, { stream: true })
    }
  }

  /** The next so many events, as "type title". */
  async take(count: number): Promise<string[]> {
    const seen: string[] = []
    while (seen.length < count) {
      const block = await this.block()
      if (block === null) break
      if (block.event === undefined) continue
      const { title } = JSON.parse(block.data as string)
      seen.push(title === undefined ? block.event : `${block.event} ${title}`)
    }
    return seen
  }

  /** Waits until the server has said where it begins. */
  async begun(): Promise<this> {
    while (this.lastId === undefined) await this.block()
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader.cancel().catch(() => {})
  }
}
