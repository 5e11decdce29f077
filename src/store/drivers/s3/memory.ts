import { encodeText, textIn } from '../../bytes.ts'
import type { Bucket } from './bucket.ts'
import { ownFolder } from './names.ts'
import { type ProbeResult, probe } from './probe.ts'

/** A server may be updated; what was found out holds for so long. */
const validMs = 7 * 24 * 3_600_000

const memoryName = `${ownFolder}.store/probe.json`

/** What a probe found, as it is kept in the bucket. */
interface Memory extends ProbeResult {
  readonly format: 1
  /** RFC 3339. */
  readonly at: string
  /** What the server called itself then. */
  readonly server: string
}

/** Probes of this process by bucket: stores with other prefixes need not make their own. */
const probes = new Map<string, Promise<ProbeResult>>()

/** Knows whether the bucket can be written to safely: finds it out once, and writes it down beside the data. */
export class ProbeMemory {
  readonly #bucket: Bucket
  readonly #tryOut: (bucket: Bucket) => Promise<ProbeResult>
  #result: Promise<ProbeResult> | undefined

  constructor(bucket: Bucket, tryOut: (bucket: Bucket) => Promise<ProbeResult> = probe) {
    this.#bucket = bucket
    this.#tryOut = tryOut
  }

  /** Before the first write; a store that is only read is not touched. */
  result(): Promise<ProbeResult> {
    this.#result ??= this.#find().catch((error: unknown) => {
      // Down for the moment, or refused: the next write asks again.
      this.#result = undefined
      throw error
    })
    return this.#result
  }

  async #find(): Promise<ProbeResult> {
    const { place } = this.#bucket.client
    if (place.probe === 'never') return { isDeletionSafe: false, deletionFlaw: 'not probed' }
    const remembered = place.probe === 'always' ? null : await this.#remembered()
    return remembered ?? (await this.#probed())
  }

  async #probed(): Promise<ProbeResult> {
    const { place } = this.#bucket.client
    const id = `${place.endpoint.origin}/${place.bucket}`
    const known = place.probe === 'always' ? undefined : probes.get(id)
    const running = known ?? this.#tryOut(this.#bucket)
    probes.set(id, running)
    try {
      const result = await running
      await this.#remember(result)
      return result
    } catch (error) {
      if (probes.get(id) === running) probes.delete(id)
      throw error
    }
  }

  async #remembered(): Promise<ProbeResult | null> {
    const { client } = this.#bucket
    const object = await this.#bucket.get(memoryName)
    const memory = object && parse(object.value)
    if (memory?.format !== 1 || memory.server !== client.server) return null
    const ageMs = client.clock.now() - Date.parse(memory.at)
    // Clocks that tell whole seconds may put it into the future.
    return Math.abs(ageMs) < validMs ? memory : null
  }

  /** A convenience: where it fails, the next one probes again. */
  async #remember(result: ProbeResult): Promise<void> {
    const { client } = this.#bucket
    const memory: Memory = {
      format: 1,
      at: new Date(client.clock.now()).toISOString(),
      server: client.server,
      ...result,
    }
    const body = encodeText(`${JSON.stringify(memory)}\n`)
    const headers = { 'content-type': 'application/json' }
    await this.#bucket
      .send({ kind: 'PUT', name: memoryName, headers, body }, client.deadline())
      .catch(() => {})
  }
}

function parse(value: Uint8Array): Memory | null {
  try {
    return JSON.parse(textIn(value)) as Memory
  } catch {
    return null
  }
}
