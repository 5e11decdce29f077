import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { describe, test } from 'vitest'
import { ListenError } from '../../src/http/index.ts'
import { openStore } from '../../src/store/index.ts'
import { temporaryFolder } from '../store/ground.ts'
import { ask, codeIn } from './ask.ts'
import { servedAll } from './holdfast/served.ts'
import { served } from './served.ts'

/** A socket whose server was killed. */
async function leaveStale(path: string): Promise<void> {
  const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => console.log('listens'))`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'close')
  assert.ok(statSync(path).isSocket())
}

const servers = { 'coven serve': served, 'holdfast serve': servedAll }

for (const [name, start] of Object.entries(servers))
  describe(`${name} on a Unix socket`, () => {
    test('answers there, for its owner alone whatever the umask, and takes the file away', async () => {
      await using folder = await temporaryFolder()
      await using store = await openStore('memory:')
      const socketPath = folder.path('s.sock')
      const before = process.umask(0)
      try {
        await using serving = await start(store, { socket: socketPath })
        assert.equal(serving.url, `unix:${socketPath}`)
        assert.equal(process.umask(), 0)
        assert.equal(statSync(socketPath).mode & 0o777, 0o600)
        const answer = await ask({ socketPath, path: '/api/tasks', headers: { Host: 'localhost' } })
        assert.equal(answer.status, 200)
      } finally {
        process.umask(before)
      }
      assert.ok(!existsSync(socketPath))
    })

    test('is made with its mode, not given it later', async () => {
      await using folder = await temporaryFolder()
      await using store = await openStore('memory:')
      const socketPath = folder.path('s.sock')
      const before = process.umask(0)
      try {
        const starting = start(store, { socket: socketPath })
        // The first turn in which the file is there.
        while (!existsSync(socketPath)) await new Promise(setImmediate)
        assert.equal(statSync(socketPath).mode & 0o777, 0o600)
        await (await starting)[Symbol.asyncDispose]()
      } finally {
        process.umask(before)
      }
    })

    test('leaves alone what has replaced its socket when it ends', async () => {
      await using folder = await temporaryFolder()
      await using store = await openStore('memory:')
      const socketPath = folder.path('s.sock')
      const first = await start(store, { socket: socketPath })
      unlinkSync(socketPath)
      const second = await start(store, { socket: socketPath })
      await first[Symbol.asyncDispose]()
      const answer = await ask({ socketPath, path: '/api/tasks', headers: { Host: 'localhost' } })
      assert.equal(answer.status, 200)
      unlinkSync(socketPath)
      writeFileSync(socketPath, 'a file of mine')
      await second[Symbol.asyncDispose]()
      assert.equal(readFileSync(socketPath, 'utf8'), 'a file of mine')
      assert.deepEqual(readdirSync(folder.path('')), ['s.sock'])
    })

    test('takes its socket away also where somebody has changed its mode', async () => {
      await using folder = await temporaryFolder()
      await using store = await openStore('memory:')
      const socketPath = folder.path('s.sock')
      const serving = await start(store, { socket: socketPath })
      chmodSync(socketPath, 0o660)
      await serving[Symbol.asyncDispose]()
      assert.deepEqual(readdirSync(folder.path('')), [])
    })

    test('asks for a name of this machine and for its own pages, as elsewhere', async () => {
      await using folder = await temporaryFolder()
      await using store = await openStore('memory:')
      const socketPath = folder.path('s.sock')
      await using _ = await start(store, { socket: socketPath })
      const codeFor = async (headers: Record<string, string>) =>
        codeIn(await ask({ socketPath, path: '/nothing', headers }))
      assert.equal(await codeFor({ Host: 'localhost' }), 'ROUTE_NOT_FOUND')
      assert.equal(await codeFor({ Host: 'evil.example' }), 'FORBIDDEN_HOST')
      const foreign = { Host: 'localhost', Origin: 'http://evil.example' }
      assert.equal(await codeFor(foreign), 'FORBIDDEN_ORIGIN')
    })

    test('replaces what a dead server left, also where several start at once', async () => {
      await using folder = await temporaryFolder()
      await using store = await openStore('memory:')
      const socketPath = folder.path('s.sock')
      await leaveStale(socketPath)
      const started = await Promise.allSettled(
        Array.from({ length: 5 }, () => start(store, { socket: socketPath })),
      )
      const running = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
      assert.equal(running.length, 1)
      for (const each of started)
        if (each.status === 'rejected') assert.match(String(each.reason), /another program has it/)
      assert.equal((await ask({ socketPath, path: '/openapi.json' })).status, 200)
      await running[0]?.[Symbol.asyncDispose]()
      assert.ok(!existsSync(socketPath))
    })

    test('leaves a live one alone, and any other file', async () => {
      await using folder = await temporaryFolder()
      await using store = await openStore('memory:')
      const live = createServer().listen(folder.path('live.sock'))
      await once(live, 'listening')
      const busy = { socket: folder.path('live.sock') }
      await assert.rejects(start(store, busy), /live\.sock: another program has it/)
      assert.ok(statSync(folder.path('live.sock')).isSocket())
      writeFileSync(folder.path('notes.txt'), 'mine')
      symlinkSync(folder.path('notes.txt'), folder.path('link'))
      for (const file of ['notes.txt', 'link'])
        await assert.rejects(start(store, { socket: folder.path(file) }), /is not a socket/)
      assert.equal(readFileSync(folder.path('notes.txt'), 'utf8'), 'mine')
      for (const socket of [folder.path('missing/s.sock'), folder.path('x'.repeat(120))])
        await assert.rejects(start(store, { socket }), ListenError)
      live.close()
    })
  })
