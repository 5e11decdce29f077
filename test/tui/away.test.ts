import assert from 'node:assert/strict'
import * as fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { Plans } from '../../src/plan/index.ts'
import type { Ground } from '../../src/store/conformance/index.ts'
import { openStore } from '../../src/store/index.ts'
import { localGround, memoryGround, temporaryFolder } from '../store/ground.ts'
import { troubled, until, Watched } from './watched.ts'

/** Another process that works in a new session. */
async function agent(ground: Ground) {
  const plans = new Plans(await ground.open())
  const { sid } = (await plans.start(tmpdir())).session
  return { sid, add: (title: string) => plans.addTasks(sid, [{ title }], { cmd: 'np test' }) }
}

test('a store that fails is away, keeps its last state, and is read anew when it is back', async () => {
  await using ground = await memoryGround()
  const { sid, add } = await agent(ground)
  await add('One')
  const { store, trouble } = troubled(await ground.open())
  using watched = new Watched(new Plans(store), sid)
  await watched.loaded()
  const before = Date.now()
  for (const now of ['down', 'silent'] as const) {
    trouble.now = now
    const { since } = await until('outage', () => watched.state.away)
    assert.ok(since >= before && since <= Date.now())
    assert.equal(watched.titles[0], 'One')
    await add(`While ${now}`)
    // No event tells that it does not hear of what was added.
    await sleep(50)
    assert.ok(watched.state.away)
    // What was asked of a silent store is never answered; a new monitor asks anew.
    if (now === 'silent') break
    trouble.now = 'none'
    await until('end of the outage', () => !watched.state.away)
    assert.deepEqual(watched.titles, ['One', 'While down'])
  }
})

test('a change that no hint tells of is found all the same', async () => {
  await using ground = await memoryGround()
  const { sid, add } = await agent(ground)
  await add('One')
  const { store, trouble } = troubled(await ground.open())
  trouble.isWatchMute = true
  using watched = new Watched(new Plans(store), sid)
  await watched.loaded()
  await add('Two')
  await until('Two', () => watched.titles.includes('Two'))
})

test('a list of sessions that can not be read is tried again', async () => {
  await using ground = await memoryGround()
  await agent(ground)
  const { store, trouble } = troubled(await ground.open())
  trouble.now = 'down'
  using watched = new Watched(new Plans(store), null)
  await until('outage', () => watched.state.away)
  trouble.now = 'none'
  await until('list', () => watched.state.picker.total === 1)
  assert.equal(watched.state.away, null)
})

test('a monitor of a store that is away from the start shows it once it is there', async () => {
  await using ground = await memoryGround()
  const { sid, add } = await agent(ground)
  await add('One')
  const { store, trouble } = troubled(await ground.open())
  trouble.now = 'down'
  using watched = new Watched(new Plans(store), sid)
  await until('outage', () => watched.state.away)
  trouble.now = 'none'
  await watched.loaded()
  assert.deepEqual(watched.titles, ['One'])
})

test('a file that is moved is away until it is back, and one that is replaced for good', async () => {
  await using folder = await temporaryFolder()
  const [path, aside] = [folder.path('store.db'), folder.path('aside.db')]
  await using store = await openStore(`sqlite:${path}`)
  const { sid, add } = await agent(localGround(async () => store))
  await add('One')
  using watched = new Watched(new Plans(store), sid)
  await watched.loaded()
  await fs.rename(path, aside)
  assert.equal((await until('outage', () => watched.state.away)).isForGood, false)
  await fs.rename(aside, path)
  await until('end of the outage', () => !watched.state.away)
  await add('Two')
  await until('Two', () => watched.titles.includes('Two'))
  await fs.copyFile(path, aside)
  await fs.rename(aside, path)
  await until('end', () => watched.state.away?.isForGood)
  // Longer than a heartbeat.
  await sleep(2_500)
  assert.equal(watched.state.away?.isForGood, true)
  assert.deepEqual(watched.titles, ['One', 'Two'])
})
