import assert from 'node:assert/strict'
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, test } from 'vitest'
import { directoryHash } from '../../../src/plan/directory.ts'
import { nextMillisecond } from '../../eventually.ts'
import { cleanUp, Desk, memoryDesk } from './desk.ts'

cleanUp()
let desk: Desk
beforeEach(() => {
  desk = memoryDesk()
})

describe('np s', () => {
  test('starts a session, says where, and ends with the next step', async () => {
    const lines = await desk.lines('s')
    assert.match(lines[0]!, /^Session [0-9A-HJKMNP-TV-Z]{26} started in \//)
    assert.ok(lines[0]!.endsWith(desk.directory))
    assert.equal(lines.at(-1), 'Next: np g s -t TITLE -d DESCRIPTION')
  })

  test('a second time says the sentences of the seed, exit 0, and starts none', async () => {
    const { sid } = await desk.start()
    assert.equal(
      await desk.np('s'),
      `Session ${sid} is already active for this directory. There's already an active session for this directory; ask your operator whether they want to resume or archive it.\n`,
    )
    assert.equal((await desk.json('l')).total, 1)
  })

  test('--json answers with the session, and says on stderr that it is the old one', async () => {
    const { v, kind, data } = await desk.json('s')
    assert.deepEqual([v, kind], [1, 'session'])
    assert.deepEqual(data, {
      sid: data.sid,
      dir_path: desk.directory,
      dir_hash: directoryHash(desk.directory),
      state: 'active',
      created_at: data.created_at,
      archived_at: null,
      last_updated_at: data.created_at,
      changed: [data.sid],
    })
    const { exit, stdout, stderr } = await desk.run(['s', '--json'])
    assert.deepEqual([exit, JSON.parse(stdout).data], [0, { ...data, changed: [] }])
    assert.match(stderr, /^np: Session \w{26} is already active for this directory\. /)
  })

  test("--quiet says nothing, unless the session is somebody else's already", async () => {
    assert.equal(await desk.np('s', '--quiet'), '')
    assert.match(await desk.np('s', '--quiet'), /ask your operator/)
  })

  test('writes no event', async () => {
    await desk.start()
    assert.deepEqual(await desk.events(), [])
  })

  test('looks at the exact directory only', async () => {
    const { sid } = await desk.start()
    const child = await desk.in('child').start()
    assert.notEqual(child.sid, sid)
  })
})

describe('np a', () => {
  test('archives the session of the directory in one line', async () => {
    const { sid } = await desk.start()
    assert.equal(await desk.np('a'), `Archived session ${sid} of ${desk.directory}.\n`)
    const { kind, data } = await desk.json('l')
    assert.deepEqual([kind, data[0].state], ['session.list', 'archived'])
  })

  test('in a child directory archives what the parent walk finds, and names its directory', async () => {
    const { sid } = await desk.start()
    const line = await desk.in('a/b').np('a')
    assert.equal(line, `Archived session ${sid} of ${desk.directory}.\n`)
  })

  test('without an active session is exit 4, also the second time', async () => {
    await desk.start()
    await desk.np('a')
    assert.equal((await desk.refusal('a')).exit, 4)
  })

  test('by id works from anywhere, and is 0 where it is archived already', async () => {
    const { sid } = await desk.start()
    const elsewhere = memoryDesk().directory
    const away = new Desk(desk.url, elsewhere)
    const { kind, data } = await away.json('a', sid.toLowerCase())
    assert.deepEqual([kind, data.sid, data.state], ['session', sid, 'archived'])
    assert.equal(
      await away.np('a', sid),
      `Session ${sid} of ${desk.directory} is already archived.\n`,
    )
    const { stdout, stderr } = await away.run(['a', sid, '--json'])
    assert.deepEqual([data.changed, JSON.parse(stdout).data], [[sid], { ...data, changed: [] }])
    assert.match(stderr, /is already archived/)
  })

  test('writes no event', async () => {
    await desk.begin()
    const { sid } = (await desk.plan('p')).session
    await desk.np('a')
    assert.equal((await desk.json('e', sid)).total, 1)
  })

  test('frees the directory', async () => {
    const { sid } = await desk.start()
    await desk.np('a')
    assert.notEqual((await desk.start()).sid, sid)
  })
})

describe('the session of a directory', () => {
  test('is found from below', async () => {
    const { sid } = await desk.start()
    assert.equal((await desk.in('a/b/c').plan('p')).session.sid, sid)
  })

  test('is the nearest one', async () => {
    await desk.start()
    const inner = await desk.in('a').start()
    assert.equal((await desk.in('a/b').plan('p')).session.sid, inner.sid)
  })

  test('is the same through a symbolic link', async () => {
    const { sid } = await desk.start()
    const link = join(memoryDesk().directory, 'link')
    symlinkSync(desk.directory, link)
    const linked = new Desk(desk.url, link)
    assert.equal((await linked.plan('p')).session.sid, sid)
    assert.match(await linked.np('s'), /is already active/)
  })

  test('is another one in each of two worktrees', async () => {
    const [one, two] = [desk.in('main'), desk.in('feature')]
    await one.begin('One')
    await two.begin('Two')
    assert.deepEqual(
      [await one.plan('p'), await two.plan('p')].map(({ tasks }) => tasks[0]?.title),
      ['One', 'Two'],
    )
  })

  test('stays with the path when the directory moves: exit 4, and a hint that names it', async () => {
    const old = desk.in('old')
    const { sid } = await old.start()
    renameSync(old.directory, join(desk.directory, 'new'))
    const { exit, code, next } = await desk.in('new').refusal('p')
    assert.deepEqual([exit, code], [4, 'no_store'])
    assert.ok(next.includes(`${sid} (${old.directory})`), next)
    assert.match(next, /'np r SID'/)
  })

  test('the hint names 3 at most, and none that are archived or in place', async () => {
    const sids: string[] = []
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const { sid } = await desk.in(name).start()
      sids.push(sid)
    }
    await desk.np('a', sids[4]!)
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      rmSync(join(desk.directory, name), { recursive: true })
    const { next } = await desk.refusal('p')
    assert.equal(sids.filter((sid) => next.includes(sid)).length, 3)
    assert.match(next, /, and 1 more; /)
    assert.ok(!next.includes(sids[4]!) && !next.includes(sids[5]!))
  })

  test('a directory that was deleted is exit 4 and names what was there', async () => {
    const gone = desk.in('gone')
    const { sid } = await gone.start()
    rmSync(gone.directory, { recursive: true })
    const { exit, message, next } = await gone.refusal('p')
    assert.deepEqual([exit, message], [4, 'The working directory is gone.'])
    assert.ok(next.includes(sid))
    assert.equal((await gone.refusal('s')).exit, 4)
    // What names a session needs no directory.
    assert.equal((await gone.plan('p', sid)).session.sid, sid)
    assert.equal((await gone.json('l')).total, 1)
  })

  test('is found from very deep below', async () => {
    const { sid } = await desk.start()
    const wide = `${'w'.repeat(199)}/`
    const deep = desk.in('deep/'.repeat(300) + wide.repeat(11))
    assert.ok(deep.directory.length > 3_700)
    assert.equal((await deep.plan('p')).session.sid, sid)
    const own = await deep.start()
    assert.equal((await deep.plan('p')).session.dir_path, own.dir_path)
    assert.ok((await deep.np('r')).length <= 4_000)
    assert.ok((await deep.np('r', '--json')).length <= 4_000)
  })

  test('that was archived is named, and can be read by its id', async () => {
    await desk.begin('One')
    const { sid } = (await desk.plan('p')).session
    await desk.np('a')
    const { exit, next } = await desk.refusal('t', 'a', '-t', 'Two')
    assert.equal(exit, 4)
    assert.ok(next.includes(`'np p ${sid}'`))
    const text = await desk.np('p', sid)
    assert.match(text, /^Session \w{26} in \S+, archived \d{4}-\d\d-\d\dT[\d:]+Z\n/)
    assert.ok(!text.includes('Next'))
  })
})

describe('np l', () => {
  test('lists active sessions newest first, then archived ones newest first', async () => {
    const names = ['a', 'b', 'c', 'd']
    const sids = new Map<string, string>()
    for (const name of names) {
      sids.set((await desk.in(name).start()).sid, name)
      // Ids of the same millisecond have no order.
      await nextMillisecond()
    }
    await desk.in('b').np('a')
    await nextMillisecond()
    await desk.in('a').np('a')
    const { data } = await desk.json('l')
    assert.deepEqual(
      data.map(({ sid }: { sid: string }) => sids.get(sid)),
      ['d', 'c', 'a', 'b'],
    )
  })

  test('shows id, state, last change, directory and goal', async () => {
    await desk.begin()
    const { session } = await desk.plan('p')
    const time = session.last_updated_at.replace(/\.\d+Z/, 'Z')
    assert.equal(await desk.np('l'), `${session.sid}  active    ${time}  ${desk.directory}  Ship\n`)
    const { data, total, shown } = await desk.json('l')
    assert.deepEqual([data[0].goal.title, total, shown], ['Ship', 1, 1])
  })

  test('is cut at 50, and says so', async () => {
    for (let at = 0; at < 52; at++) await desk.in(String(at)).np('s', '--quiet')
    const { exit, stdout, stderr } = await desk.run(['l'])
    assert.deepEqual([exit, stdout.split('\n').length - 1, stderr], [0, 50, '50 of 52\n'])
    assert.equal((await desk.lines('l', '--all')).length, 52)
    assert.equal((await desk.run(['l', '--limit', '3'])).stderr, '3 of 52\n')
  })

  test('passes over a session that can not be read, and names it', async () => {
    const { sid } = await desk.start()
    const other = await desk.in('other').start()
    await desk.truncate(`np/s/${sid}/meta`)
    const { exit, stdout, stderr } = await desk.run(['l'])
    assert.equal(exit, 0)
    assert.ok(stdout.startsWith(other.sid) && !stdout.includes(sid))
    assert.match(stderr, new RegExp(`warning: The session ${sid} is corrupt`))
    assert.equal((await desk.refusal('p')).exit, 1)
  })
})

describe('a session by the start of its id', () => {
  test('is enough where it is unique; otherwise exit 5 with the candidates', async () => {
    const { sid } = await desk.start()
    assert.equal((await desk.plan('r', sid.slice(0, 4))).session.sid, sid)
    const other = await desk.in('other').start()
    const { exit, code, stderr } = await desk.refusal('p', '01')
    assert.deepEqual([exit, code], [5, 'ambiguous'])
    for (const each of [sid, other.sid]) assert.ok(stderr.includes(`\n  ${each}  active`), stderr)
  })

  test('p r e x and a take it', async () => {
    await desk.begin('One')
    const { sid } = (await desk.plan('p')).session
    const away = memoryDesk()
    mkdirSync(join(away.directory, 'x'))
    const far = new Desk(desk.url, away.directory)
    for (const command of ['p', 'r', 'e', 'x', 'a'])
      assert.equal((await far.run([command, sid])).exit, 0, command)
  })
})
