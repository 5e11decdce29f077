import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { describe, test } from 'vitest'
import { Plans } from '../../src/plan/index.ts'
import { openStore } from '../../src/store/index.ts'
import { startNats } from '../servers/nats.ts'
import { temporaryFolder } from '../store/ground.ts'
import { numbers } from './states.ts'
import { before, startTmux, type Tmux } from './tmux.ts'

const told = { cmd: 'np test' }

/** A session with a goal and 40 tasks, on a store of its own. */
async function prepared() {
  const folder = await temporaryFolder()
  const url = `sqlite:${folder.path('store.db')}`
  const store = await openStore(url)
  const plans = new Plans(store)
  const { sid } = (await plans.start(tmpdir())).session
  await plans.setGoal(sid, { title: 'Ship the monitor' }, told)
  const tasks = numbers(40).map((number) => ({ title: `Task ${number}` }))
  await plans.addTasks(sid, tasks, told)
  return {
    ...{ url, sid, plans },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

const sizeOf = (text: string) => text.split('x').map(Number) as [columns: number, rows: number]

/** The last line of a monitor that has fitted itself to a width. */
const drawnTo = (columns: number): RegExp => new RegExp(`^.{${columns - 6}}q quit$`, 'm')

const colours = /\[(?:\d+;)*3[1-7]m/

/** Whether the terminal is as it was before the monitor. */
async function assertLeft(tmux: Tmux): Promise<void> {
  assert.equal(await tmux.isClean(), true)
  // What is typed is shown again, and a line is a line: raw mode is off.
  await tmux.type('echo af', 'ter', 'Enter')
  await tmux.sees(/^\$ echo after\nafter\n\$ *$/m)
}

describe('in a terminal', () => {
  test('q while it starts ends it, and leaves the terminal as it was', async () => {
    await using place = await prepared()
    await using tmux = await startTmux()
    await tmux.monitor([place.url, place.sid])
    await tmux.type('q')
    await tmux.sees(/exit 0$/m)
    await assertLeft(tmux)
  })

  test.each([
    ['C-c', '80x24 60x12 120x30'],
    ['q', '40x10 20x5 120x30'],
    ['q', '80x24 200x10'],
    ['q', '80x24 120x30 60x12'],
  ])('%s ends it, and leaves the terminal as it was, after the sizes %s', async (key, sizes) => {
    await using place = await prepared()
    const [first, ...others] = sizes.split(' ').map(sizeOf)
    await using tmux = await startTmux(...first!)
    await tmux.monitor([place.url, place.sid])
    await tmux.sees(drawnTo(first![0]))
    for (const [columns, rows] of others) {
      await tmux.resize(columns, rows)
      await tmux.sees(drawnTo(columns))
    }
    await tmux.type(key)
    const screen = await tmux.sees(/^exit 0\n\$ *$/m)
    assert.equal(screen.trimEnd(), [...before, 'exit 0', '$'].join('\n'))
    assert.doesNotMatch(await tmux.screen({ scrolled: true }), /Task \d/)
    await assertLeft(tmux)
  })

  test('it ends by SIGTERM as any program, with the terminal as it was', async () => {
    await using place = await prepared()
    await using tmux = await startTmux()
    await tmux.monitor([place.url, place.sid])
    await tmux.sees(/Ship the monitor +active/)
    await tmux.signal('TERM')
    await tmux.sees(/^exit 143$/m)
    assert.equal(await tmux.isClean(), true)
  })

  test('it has colours, scrolls, goes to the list of sessions and back', async () => {
    await using place = await prepared()
    await using tmux = await startTmux()
    await tmux.monitor([place.url, place.sid])
    await tmux.sees(/ 1–12 of 40 /)
    assert.match(await tmux.screen({ coloured: true }), colours)
    await tmux.type('j', 'j', 'Down')
    await tmux.sees(/ 4–15 of 40 /)
    await tmux.type('PageDown')
    await tmux.sees(/ 15–26 of 40 /)
    await tmux.type('G')
    await tmux.sees(/ 29–40 of 40 /)
    await tmux.type('Tab', 'g')
    await tmux.sees(/ 1–7 of 41 .*\n.*goal set +Ship the monitor\n/)
    await tmux.type('l')
    await tmux.sees(/Sessions ─+ 1–1 of 1 ──\n.*\n› ● Ship the monitor/)
    await tmux.type('Enter')
    await tmux.sees(/ 29–40 of 40 /)
  })

  test('Esc opens the list and goes back, ? shows the keys and hides them', async () => {
    await using place = await prepared()
    await using tmux = await startTmux()
    await tmux.monitor([place.url, place.sid])
    await tmux.sees(/ 1–12 of 40 /)
    await tmux.type('Escape')
    await tmux.sees(/› ● Ship the monitor/)
    await tmux.type('?')
    await tmux.sees(/── Keys ─+[\s\S]* Ctrl-Z +suspend[\s\S]*esc back {2}q quit$/m)
    await tmux.type('Escape')
    await tmux.sees(/› ● Ship the monitor/)
    await tmux.type('Escape')
    await tmux.sees(/ 1–12 of 40 /)
    await tmux.type('?')
    await tmux.sees(/── Keys ─/)
    await tmux.type('?')
    await tmux.sees(/ 1–12 of 40 /)
  })

  test('Ctrl-Z gives the terminal to the shell, and fg takes it again, also in another size', async () => {
    await using place = await prepared()
    await using tmux = await startTmux()
    await tmux.monitor([place.url, place.sid])
    for (const [columns, rows, range] of [
      [80, 24, / 1–12 of 40 /],
      [120, 40, / 1–35 of 41 /],
    ] as const) {
      await tmux.sees(range)
      await tmux.type('C-z')
      await tmux.sees(/Stopped[\s\S]*\$ *$/m)
      await assertLeft(tmux)
      await tmux.resize(columns === 80 ? 120 : 80, rows === 24 ? 40 : 24)
      await place.plans.addTasks(place.sid, [{ title: `While stopped at ${columns}` }], told)
      await tmux.type('clear; fg', 'Enter')
      await tmux.sees(/Ship the monitor +active/)
      await tmux.sees(new RegExp(`added .* While stopped at ${columns}`))
      assert.equal(await tmux.isClean(), false)
    }
    await tmux.type('q')
    // The shell printed the exit status when it was stopped. The command may be wrapped anywhere but at its start.
    await tmux.sees(/^env -i [\s\S]*\n\$ *$/m)
    await assertLeft(tmux)
  })

  test('an archived session names the key that opens the new one of its directory', async () => {
    await using place = await prepared()
    await using tmux = await startTmux()
    await tmux.monitor([place.url, place.sid])
    await tmux.sees(/ 1–12 of 40 /)
    await place.plans.archive(place.sid)
    await tmux.sees(/^Archived .*q quit$/m)
    const { session } = await place.plans.start(tmpdir())
    await place.plans.setGoal(session.sid, { title: 'The next one' }, told)
    await tmux.sees(/^n opens the new session of this directory; this one is archived .*q quit$/m)
    await tmux.type('n')
    await tmux.sees(/^The next one +active$/m)
  })

  test('it opens with the list where no session is given, and has no colours with NO_COLOR', async () => {
    await using place = await prepared()
    await using tmux = await startTmux()
    await tmux.monitor([place.url], { NO_COLOR: '1', CI: 'true' })
    await tmux.sees(/› ● Ship the monitor/)
    assert.doesNotMatch(await tmux.screen({ coloured: true }), colours)
    await tmux.type('Enter')
    await tmux.sees(/Ship the monitor +active/)
    assert.doesNotMatch(await tmux.screen({ coloured: true }), colours)
  })

  test('it fits itself to a terminal that changes its size', async () => {
    await using place = await prepared()
    await using tmux = await startTmux()
    await tmux.monitor([place.url, place.sid])
    await tmux.sees(/ 1–12 of 40 /)
    await tmux.resize(120, 40)
    await tmux.sees(/Tasks .* 1–35 of 40 ── {2}── Events .* 7–41 of 41 ──$/m)
    for (const [columns, rows] of [
      [30, 8],
      [5, 3],
      [1, 1],
      [200, 50],
    ] as const)
      await tmux.resize(columns, rows)
    await tmux.sees(/ 1–40 of 40 /)
    await tmux.resize(80, 24)
    const screen = await tmux.sees(/ 1–12 of 40 /)
    assert.equal(screen.trimEnd().split('\n').length, 24)
    await tmux.type('q')
    await tmux.sees(/^exit 0$/m)
  })

  test('a wide title that has no room ends in an ellipsis, whether a character meets the edge or not', async () => {
    await using place = await prepared()
    const goal = { title: 'ゴール'.repeat(40) }
    await place.plans.updateGoal(place.sid, goal, { ...told, reason: 'wider' })
    await place.plans.addTasks(place.sid, [{ title: 'タイトル'.repeat(60) }], told)
    await using tmux = await startTmux(71, 24)
    await tmux.monitor([place.url, place.sid])
    for (const columns of [71, 70, 51, 50, 40, 39]) {
      await tmux.resize(columns, 24)
      await tmux.sees(drawnTo(columns))
      await tmux.type('Tab', 'G', 'Tab', 'G')
      const screen = await tmux.sees(/^☐ \w{0,6} *タ/m)
      assert.match(screen, /^ゴ[^…\n]+… +active$/m, screen)
      assert.match(screen, /^☐ \w{0,6} *タ[^…\n]+…$/m, screen)
      assert.match(screen, /^\d\d:\d\d:\d\d .*タ[^…\n]+…$/m, screen)
    }
  })

  test('a warning waits until the screen is free', async () => {
    await using place = await prepared()
    const { tasks } = await place.plans.plan(place.sid)
    await using store = await openStore(place.url)
    const key = `np/s/${place.sid}/task/${tasks[3]?.id}`
    const entry = (await store.get(key))!
    await store.commit([{ type: 'update', ...entry, value: new TextEncoder().encode('{') }])
    await using tmux = await startTmux()
    await tmux.monitor([place.url, place.sid])
    assert.doesNotMatch(await tmux.sees(/ 1–12 of 39 /), /corrupt/)
    await tmux.type('q')
    assert.match(await tmux.sees(/^exit 0$/m), /The task .* is corrupt/)
  })
})

test('a NATS server goes and comes back: the last state stays, and goes on by itself', async () => {
  await using server = await startNats()
  await using store = await openStore(server.url)
  const plans = new Plans(store)
  const { sid } = (await plans.start(tmpdir())).session
  await plans.addTasks(sid, [{ title: 'Before' }], told)
  await using tmux = await startTmux()
  await tmux.monitor([server.url, sid])
  await tmux.sees(/Before/)
  await server.stop()
  const screen = await tmux.sees(/^! Store away since \d\d:\d\d:\d\d, trying again\. .* q quit$/m)
  assert.match(screen, /☐ \w+ {2}Before/)
  await server.restart()
  await tmux.sees(/^Updated /m)
  await plans.addTasks(sid, [{ title: 'Afterwards' }], told)
  await tmux.sees(/☐ \w+ {2}Afterwards/)
  await server.stop()
  await tmux.sees(/^! Store away since/m)
  await tmux.type('q')
  await tmux.sees(/^exit 0$/m)
  assert.equal(await tmux.isClean(), true)
})
