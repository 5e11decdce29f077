import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { openStore } from '../../../src/store/index.ts'
import { assertLayout } from '../../plan/layout.ts'
import { startNats } from '../../servers/nats.ts'
import { sharedMinio } from '../../servers/shared.ts'
import { s3Bucket } from '../../store/s3/ground.ts'
import { type Mask, Transcript } from '../transcript.ts'
import { cleanUp, Desk, newDirectory } from './desk.ts'

cleanUp()

const golden = readFileSync(new URL('whole-session.txt', import.meta.url), 'utf8')

const masks: readonly Mask[] = [
  { name: 'SID', form: /[0-9A-HJKMNP-TV-Z]{26}/g, isNumbered: true },
  { name: 'TIME', form: /\b\d{4}-\d\d-\d\dT[\d:.]+Z/g },
  { name: 'task', form: /(?<=[☐⟳☑☒⊗] |-i |tasks: |task_\w+ {2})[0-9a-f]{6}\b/g, isNumbered: true },
]

interface Place extends AsyncDisposable {
  readonly url: string
}

const nothing = async () => {}

/** Where an agent starts: nothing is there yet, but for the bucket, which Holdfast never makes. */
const places: Readonly<Record<string, () => Promise<Place>>> = {
  memory: async () => ({ url: `memory:np-${process.pid}`, [Symbol.asyncDispose]: nothing }),
  sqlite: async () => ({
    url: `sqlite:${join(newDirectory(), 'deep/below/plans.db')}`,
    [Symbol.asyncDispose]: nothing,
  }),
  nats: startNats,
  's3 (MinIO)': async () => {
    const bucket = await s3Bucket(sharedMinio())
    return { url: bucket.url('agents'), [Symbol.asyncDispose]: nothing }
  },
}

/** A whole session, as agents run them. */
async function wholeSession(transcript: Transcript): Promise<void> {
  const batch = ['Grammar', 'Lexer', 'Parser', 'Tests', 'Docs']
    .map((title) => `-t ${title} -d "${title} of the language"`)
    .join(' ')
  for (const line of [
    's',
    's',
    'g',
    'g s -t "Ship the parser" -d "Done when the suite passes"',
    'g s -t "Ship the parser" -d "Done when the suite passes"',
    `t a ${batch}`,
    't a -t grammar -d "grammar OF the language" -t Macros -d ""',
    't u -i task-1 -s in-progress',
    't u -i task-1 -s done -i task-2 -s doing',
    't u -i task-4 -s failed',
    't u -i task-4 -s failed -r "the fixture is missing"',
    't u -i task-6 -s cancel -r "no longer needed"',
    't u -i task-3 -t "Recursive parser" -s doing -r "scope is clear now"',
    'g u -t "Ship the parser without macros" -r "macros need a new lexer"',
    't -s in_progress',
    't u -i task-2 -i task-3 -i task-5 -s completed',
    'e --limit 3',
    'a',
    'p',
    'l',
    's',
  ])
    await transcript.run(line)
  await transcript.run('r SID-1', { at: 'elsewhere' })
  await transcript.run('l', { at: 'elsewhere' })
  await transcript.run('repair')
}

for (const [kind, open] of Object.entries(places))
  describe(`np on ${kind}`, () => {
    let place: Place
    beforeAll(async () => {
      place = await open()
    })
    afterAll(() => place[Symbol.asyncDispose]())

    test('a whole session goes as the transcript shows, and leaves the layout of the seed', async () => {
      const directory = newDirectory()
      mkdirSync(join(directory, 'elsewhere'))
      const transcript = new Transcript('np', new Desk(place.url, directory), masks)
      await wholeSession(transcript)
      assert.equal(transcript.text, golden)
      await using store = await openStore(place.url)
      await assertLayout(store)
    })
  })
