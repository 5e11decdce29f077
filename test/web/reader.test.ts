import assert from 'node:assert/strict'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, test, vi } from 'vitest'
import { Reader, type State } from '../../web/src/reader.ts'

/** What a request of a query answers: the versions of the store that its pages are from. */
interface Page {
  readonly query: string
  readonly versions: readonly number[]
}

interface Asked {
  readonly answer: () => void
  readonly fail: () => void
}

/** A page that looks at one query after the other, and a server that answers in any order. */
class Desk {
  version = 0
  query = 'a'
  shown: State<Page>
  readonly #asked: Asked[] = []
  #reader: Reader<Page>

  constructor() {
    this.#reader = this.#open('a')
    this.shown = { key: 'a', value: null } as State<Page>
  }

  open(query: string): void {
    this.#reader.end()
    this.query = query
    this.shown = { key: query, value: null } as State<Page>
    this.#reader = this.#open(query)
  }

  #open(query: string): Reader<Page> {
    const reader = new Reader<Page>({
      key: query,
      pollMs: 30_000,
      pauseMs: 1_000,
      read: () => this.#ask((version) => ({ query, versions: [version] })),
      isHeld: () => false,
      tell: (state) => this.#check(reader, state),
      isHidden: () => false,
    })
    void reader.again()
    return reader
  }

  #ask(page: (version: number) => Page): Promise<Page> {
    const { version } = this
    return new Promise((resolve, reject) => {
      this.#asked.push({
        answer: () => resolve(page(version)),
        fail: () => reject(new Error('away')),
      })
    })
  }

  #check(reader: Reader<Page>, state: State<Page>): void {
    assert.equal(reader, this.#reader, 'an ended reader says nothing')
    assert.equal(state.key, this.query)
    const { value } = state
    assert.equal(value?.query ?? this.query, this.query, 'no other query’s rows')
    const [first, ...further] = value?.versions ?? []
    const [before] = this.shown.value?.versions ?? []
    if (first !== undefined && before !== undefined)
      assert.ok(first >= before, 'nothing older takes the place of what is newer')
    // What was read further down goes on from this very first page, and from no other.
    assert.deepEqual(
      further,
      further.map(() => first),
    )
    this.shown = state
  }

  again = () => void this.#reader.again()
  soon = () => this.#reader.soon()
  more = () =>
    void this.#reader.extend((page) =>
      this.#ask(() => ({ ...page, versions: [...page.versions, page.versions[0] ?? -1] })),
    )

  settle(at: number, isGood: boolean): void {
    const [asked] = this.#asked.splice(at % Math.max(1, this.#asked.length), 1)
    if (isGood) asked?.answer()
    else asked?.fail()
  }

  settleAll(): void {
    while (this.#asked.length > 0) this.settle(this.#asked.length - 1, true)
  }
}

type Step = (desk: Desk) => void

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom('a', 'b', 'c').map((query) => (desk: Desk) => desk.open(query)),
  fc.constant((desk: Desk) => desk.again()),
  fc.constant((desk: Desk) => desk.soon()),
  fc.constant((desk: Desk) => desk.more()),
  fc.constant((desk: Desk) => {
    desk.version++
    desk.soon()
  }),
  fc.tuple(fc.nat(8), fc.boolean()).map(
    ([at, isGood]) =>
      (desk: Desk) =>
        desk.settle(at, isGood),
  ),
)

describe('what a page shows of a query', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('is an answer to that query, never older than what was shown, whatever the order of answers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { maxLength: 40 }), async (taken) => {
        const desk = new Desk()
        for (const step of taken) {
          step(desk)
          await vi.advanceTimersByTimeAsync(400)
        }
        // In the end all is answered, the newest first, and the page shows the store as it is.
        desk.again()
        for (let round = 0; round < 4; round++) {
          desk.settleAll()
          await vi.advanceTimersByTimeAsync(5_000)
        }
        assert.equal(desk.shown.value?.versions[0], desk.version)
        assert.equal(desk.shown.failure, null)
      }),
      { numRuns: 300 },
    )
  })

  test('of three who ask at once, one request goes out at a time, and the last one counts', async () => {
    const answers: ((value: number) => void)[] = []
    const told: (number | null)[] = []
    const reader = new Reader<number>({
      key: 'q',
      pollMs: 30_000,
      pauseMs: 0,
      read: () => new Promise((resolve) => answers.push(resolve)),
      isHeld: () => false,
      tell: ({ value }) => told.push(value),
      isHidden: () => false,
    })
    const asked = [reader.again(), reader.again(), reader.again()]
    answers[2]?.(3)
    answers[1]?.(2)
    answers[0]?.(1)
    await Promise.all(asked)
    assert.deepEqual(told, [3])
    reader.end()
  })
})
