import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { openStore, type Store, update } from '../../src/store/index.ts'
import { unseenIn } from '../terminal/unseen.ts'
import { cleanUp, newDirectory, newMemory } from './desk.ts'
import { type AnyCommand, everyCommand, programs } from './every-command.ts'
import { run } from './terminal.ts'

cleanUp()

/** A line that looks like the program's own, and what steers a terminal. */
const evil = '\nFORGED\u001b]0;title\u0007\u009b31m\u202e\u{e0041}\u200b\r\u2028'

/** What shows documents, and changes none or only the one that it names. */
const shows: Readonly<Record<string, RegExp>> = {
  ut: /^ut (ls|show|tags|done)$/,
  np: /^np (p|r|l|e|g|t|prime)$/,
  coven:
    /^coven task (list|ready|show|claim|complete|subtree|children|ancestors|history|tag list|reparent)$/,
  qo: /^qo (list|status|history|stats|workers|cancel|replay)$/,
  holdfast: /^holdfast (doctor|token list)$/,
}
/** Whose documents lie in a namespace. */
const programOf: Readonly<Record<string, string>> = {
  utask_tasks: 'ut',
  np: 'np',
  coven: 'coven',
  qo: 'qo',
  holdfast_access: 'holdfast',
}

type Path = readonly (string | number)[]
type Json = { [name: string]: unknown }

/** The places of all texts in a document, and of what has none yet. */
function placesIn(value: unknown, path: Path = []): Path[] {
  if (typeof value === 'string' || value === null) return [path]
  if (typeof value !== 'object') return []
  return Object.entries(value as Json).flatMap(([name, each]) => placesIn(each, [...path, name]))
}

const at = (value: unknown, path: Path): unknown =>
  path.reduce((found, name) => (found as Json)[name], value)

/** The same document with such a text appended at one place. */
function spoiled(document: string, path: Path): string {
  const copy = JSON.parse(document)
  const parent = at(copy, path.slice(0, -1)) as Json
  const name = String(path.at(-1))
  parent[name] = `${parent[name] ?? 'x'}${evil}`
  return JSON.stringify(copy)
}

/** A store with something of each model. */
class World {
  readonly url = newMemory()
  readonly #directory = newDirectory()
  readonly #ids: Record<string, string> = {}

  async fill(): Promise<Store> {
    const store = await openStore(this.url)
    this.#ids['ut'] = (await this.#json('ut', 'add', 'milk', '-t', 'errand')).id
    await this.#json('np', 's')
    await this.#json('np', 'g', 's', '-t', 'goal', '-d', 'why')
    await this.#json('np', 't', 'a', '-t', 'step', '-d', 'how')
    const { id } = await this.#json('coven', 'task', 'create', '--title', 'title', '--body', 'body')
    this.#ids['coven'] = id
    await this.#json('coven', 'task', 'tag', 'add', id, 'urgent')
    await this.#json('coven', 'task', 'claim', id)
    const job = await this.#json('qo', 'submit', '-t', 'mail', '-i', '{"a":"b"}', '--key', 'one')
    this.#ids['qo'] = job.id
    await this.#json('holdfast', 'token', 'add', 'ci', '--role', 'read')
    return store
  }

  async #json(name: string, ...args: string[]) {
    const program = programs.find((each) => each.name === name)!
    const { exit, stdout } = await run(program, [...args, '--json'], this.#setting)
    assert.equal(exit, 0, stdout)
    return JSON.parse(stdout).data
  }

  get #setting() {
    const env = { HOLDFAST_STORE: this.url, COVEN_AGENT_ID: 'agent', HOME: this.#directory }
    return { cwd: this.#directory, stdin: '', env }
  }

  show({ program, words }: AnyCommand) {
    const id = this.#ids[program.name] ?? '1'
    const args = words.map((word) => (word === 'abcdef01' ? id : word))
    return run(program, args, this.#setting)
  }
}

describe('a document that another tool wrote forges no line, whichever of its fields it uses', () => {
  test('the commands that show documents are there', () => {
    for (const pattern of Object.values(shows))
      assert.ok(
        everyCommand.some(({ line }) => pattern.test(line)),
        String(pattern),
      )
  })

  for (const [namespace, name] of Object.entries(programOf))
    test(namespace, async () => {
      const commands = everyCommand.filter(({ line }) => shows[name]!.test(line))
      const world = new World()
      await using store = await world.fill()
      let shown = 0
      for await (const { key } of store.list(namespace)) {
        const document = new TextDecoder().decode((await store.get(key))!.value)
        if (!document.startsWith('{')) continue
        const put = async (text: string) => {
          const entry = await store.get(key)
          if (entry) await store.commit([update(entry, new TextEncoder().encode(text))])
        }
        for (const path of placesIn(JSON.parse(document)))
          for (const command of commands) {
            await put(spoiled(document, path))
            const { stdout, stderr } = await world.show(command)
            const said = stdout + stderr
            const what = `${command.line}, ${key} ${path.join('.')}: ${JSON.stringify(said)}`
            assert.doesNotMatch(said, /^FORGED/m, what)
            assert.deepEqual(unseenIn(said), [], what)
            if (said.includes('FORGED')) shown++
            await put(document)
          }
      }
      assert.ok(shown > 0)
    })
})
