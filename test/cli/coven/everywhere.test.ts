import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { openStore } from '../../../src/store/index.ts'
import { startNats } from '../../servers/nats.ts'
import { sharedMinio } from '../../servers/shared.ts'
import { s3Bucket } from '../../store/s3/ground.ts'
import { assertLayout } from '../../tree/layout.ts'
import { type Mask, Transcript } from '../transcript.ts'
import { trust } from '../trust.ts'
import { cleanUp, Desk, newDirectory } from './desk.ts'

cleanUp()

const golden = readFileSync(new URL('whole-flow.txt', import.meta.url), 'utf8')

const masks: readonly Mask[] = [
  { name: 'task', form: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, isNumbered: true },
  { name: 'TIME', form: /\b\d{4}-\d\d-\d\dT[\d:.]+Z/g },
  { name: 'NOTHING', form: /(?<=Error: )(?:There is|Nothing was) .*(?= Start one)/g },
  { name: 'STORE', form: /(?<=, store )\S+/g },
]

interface Place extends AsyncDisposable {
  readonly url: string
}

const nothing = async () => {}

/** Where a team starts: nothing is there yet, but for the bucket, which Holdfast never makes. */
const places: Readonly<Record<string, () => Promise<Place>>> = {
  memory: async () => ({ url: `memory:coven-${process.pid}`, [Symbol.asyncDispose]: nothing }),
  sqlite: async () => ({
    url: `sqlite:${join(newDirectory(), 'deep/below/tasks.db')}`,
    [Symbol.asyncDispose]: nothing,
  }),
  nats: startNats,
  's3 (MinIO)': async () => {
    const bucket = await s3Bucket(sharedMinio())
    return { url: bucket.url('team'), [Symbol.asyncDispose]: nothing }
  },
}

/** A whole flow, as a person and two agents run it: lines, and who runs them where it is not the person. */
const flow: readonly (string | readonly [agent: string, line: string])[] = [
  'task list',
  'init',
  'task list',
  'init',
  'task create --title "Release 1.0" --type epic --priority 1 --grimoire plan-release',
  'task create --title "Fix the login" --type bug --priority 0 --parent task-1 --tags auth-api --grimoire ""',
  'task create --title "Write the changelog" --parent task-1 --tags docs --grimoire ""',
  'task create --title "Tag it" --parent task-1 --grimoire ""',
  'task ready',
  'task claim task-2',
  ['agent-7', 'task claim task-2 --tags started'],
  ['agent-8', 'task claim task-2'],
  ['agent-8', 'task reclaim task-2'],
  ['agent-7', 'task reclaim task-2'],
  ['agent-8', 'task complete task-2'],
  'matchers explain task-2',
  'task ready',
  'task delete task-1',
  ['agent-7', 'task complete task-2 --summary "tokens are compared in constant time"'],
  'task reject task-2 --reason "the test is missing"',
  'task unblock task-2',
  ['agent-8', 'task claim task-2'],
  ['agent-8', 'task complete task-2'],
  'task approve task-2',
  'task approve task-2',
  'task history task-2 --field status',
  ['agent-7', 'task claim task-3'],
  'task release task-3',
  ['agent-8', 'task release task-3'],
  ['agent-8', 'task release task-3 --force'],
  'task update task-3 --title "Write the release notes" --priority 3',
  'task update task-3 --priority 3',
  'task tag add task-3 docs release',
  'task tag remove task-3 docs',
  'task tag list task-3',
  'task reparent task-4 task-3',
  'task reparent task-1 task-4',
  'task subtree task-1',
  'task subtree task-1 --flat',
  'task ancestors task-4',
  'task children task-1',
  'task list --type bug,epic --status open,closed',
  'task list --limit 2',
  'task bulk priority 4 task-3 task-4 01900000-0000-7000-8000-000000000000',
  'task bulk close task-3 task-2',
  'task show task-2',
  'maintain',
  'task delete task-3',
  'task delete task-3',
  'task list --json --type epic',
]

/** Tasks of one tick of the store's clock have no order; S3 tells the time in seconds. */
const tickMs = (url: string): number => (url.startsWith('s3:') ? 1_100 : 2)

async function runFlow(transcript: Transcript, home: string, pauseMs: number): Promise<void> {
  for (const step of flow) {
    const [agent, line] = typeof step === 'string' ? ['', step] : step
    if (line.startsWith('task create')) await sleep(pauseMs)
    await transcript.run(line, { env: { COVEN_AGENT_ID: agent, HOME: home } })
  }
}

const matchers = `matchers:
  - name: security-review
    grimoire: security-audit
    match: { any_tags: ["auth*"] }
  - name: default
    grimoire: implement
    match: {}
`

for (const [kind, open] of Object.entries(places))
  describe(`coven on ${kind}`, () => {
    let place: Place
    beforeAll(async () => {
      place = await open()
    })
    afterAll(() => place[Symbol.asyncDispose]())

    test('a whole flow goes as the transcript shows, and leaves the store in order', async () => {
      const desk = new Desk(place.url, newDirectory(), null)
      const home = newDirectory()
      await trust(desk.place('.coven/grimoire-matchers.yaml', matchers), home)
      const transcript = new Transcript('coven', desk, masks)
      await runFlow(transcript, home, tickMs(place.url))
      assert.equal(transcript.text, golden)
      await using store = await openStore(place.url)
      await assertLayout(store)
    })
  })
