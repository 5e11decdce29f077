import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { coven } from '../../../src/cli/coven.ts'
import { holdfast } from '../../../src/cli/holdfast.ts'
import { Served } from '../../http/process.ts'
import { run } from '../terminal.ts'
import { Desk } from './desk.ts'

const programs = { holdfast, coven }
const token = 'a-token-from-a-file-of-ours'

for (const program of ['holdfast', 'coven'] as const)
  describe(`${program} serve --token-file`, () => {
    /** What it ends with; it must not begin to serve. */
    const refused = async (
      desk: Desk,
      args: readonly string[],
      env: Record<string, string> = {},
    ) => {
      const given = { cwd: desk.folder, env: { HOME: desk.path('home'), ...env } }
      const outcome = await run(programs[program], ['serve', '--port', '0', ...args], given)
      assert.equal(outcome.stdout, '')
      assert.ok(!outcome.stderr.includes(token), outcome.stderr)
      return outcome
    }
    const written = (desk: Desk, text: string, mode = 0o600) => {
      const path = desk.write('token', text)
      chmodSync(path, mode)
      return path
    }

    test('takes the token of a file that nobody else can read, without its last line end', async () => {
      for (const [text, args] of [
        [`${token}\n`, ['--token-file', 'token']],
        [`${token}\r\n`, ['--token-file', 'token']],
        [token, []],
      ] as const) {
        using desk = new Desk()
        const path = written(desk, text)
        const env = args.length === 0 ? { [`${program.toUpperCase()}_TOKEN_FILE`]: path } : {}
        const place = { cwd: desk.folder, env, program }
        await using served = await Served.start(
          ['--store', `sqlite:${desk.path('tasks.db')}`, ...args],
          place,
        )
        const status = async (headers = {}) =>
          (await fetch(`${served.url}/api/tasks`, { headers })).status
        assert.equal(await status(), 401)
        assert.equal(await status({ Authorization: `Bearer ${token}` }), 200)
        assert.ok(!(served.stdout + served.stderr).includes(token))
        assert.doesNotMatch(served.stdout, /Every user/)
      }
    })

    test('refuses one that others can read or change, also behind a link', async () => {
      using desk = new Desk()
      for (const mode of [0o644, 0o640, 0o604, 0o620, 0o602, 0o610, 0o666, 0o444]) {
        const path = written(desk, token, mode)
        const { exit, stderr } = await refused(desk, ['--token-file', path])
        assert.equal(exit, 4, mode.toString(8))
        assert.match(stderr, /can be read or changed by other users/)
      }
      symlinkSync(desk.path('token'), desk.path('link'))
      assert.equal((await refused(desk, ['--token-file', 'link'])).exit, 4)
    })

    test('refuses what is no file, or holds no token, without waiting', async () => {
      using desk = new Desk()
      execFileSync('mkfifo', ['-m', '600', desk.path('pipe')])
      for (const path of [desk.folder, desk.path('pipe'), '/dev/zero', '/dev/null'])
        assert.equal((await refused(desk, ['--token-file', path])).exit, 4, path)
      written(desk, 'x'.repeat(5_000))
      assert.equal((await refused(desk, ['--token-file', 'token'])).exit, 4)
      for (const text of ['', '\n', 'two words', `${token}\n\n`, `${token}\nx`, 'pässwort', '\0'])
        assert.equal(
          (await refused(desk, ['--token-file', written(desk, text)])).exit,
          2,
          JSON.stringify(text),
        )
      assert.equal((await refused(desk, ['--token-file', 'missing'])).exit, 2)
    })

    test('or a variable that is set and empty is no server without a token', async () => {
      using desk = new Desk()
      const [own, file] = [`${program.toUpperCase()}_TOKEN`, `${program.toUpperCase()}_TOKEN_FILE`]
      for (const env of [
        { [own]: '' },
        { [own]: ' \n' },
        { [file]: '' },
        { [own]: token, [file]: '' },
      ]) {
        const { exit, stderr } = await refused(desk, [], env as Record<string, string>)
        assert.equal(exit, 2, JSON.stringify(env))
        assert.match(stderr, /_TOKEN(_FILE)? is empty\. Set it, or unset it\./)
      }
      await using served = await Served.start(
        ['--store', `sqlite:${desk.path('tasks.db')}`, '--token', token],
        { cwd: desk.folder, env: { [own]: '' }, program },
      )
      assert.equal((await fetch(`${served.url}/api/tasks`)).status, 401)
    })

    test('and --token both are one too many; what is said closer to the command counts', async () => {
      using desk = new Desk()
      const path = written(desk, token)
      const both = ['--token', 'x', '--token-file', path]
      const { exit, stderr } = await refused(desk, both)
      assert.equal(exit, 2)
      assert.match(stderr, /given twice: by --token and by --token-file/)
      const name = `${program.toUpperCase()}_TOKEN`
      const env = { [name]: 'from-the-environment', [`${name}_FILE`]: path }
      assert.equal((await refused(desk, [], env)).exit, 2)
      const place = { cwd: desk.folder, env: { [name]: 'from-the-environment' }, program }
      await using served = await Served.start(
        ['--store', `sqlite:${desk.path('tasks.db')}`, '--token-file', path],
        place,
      )
      const headers = { Authorization: `Bearer ${token}` }
      assert.equal((await fetch(`${served.url}/api/tasks`, { headers })).status, 200)
    })

    test('may stand in a file of the user, not in one of a project', async () => {
      using desk = new Desk()
      const path = written(desk, token)
      desk.write('.holdfast.yaml', `token-file: ${path}\n`)
      const { exit } = await refused(desk, [])
      assert.notEqual(exit, 0)
      desk.write('.holdfast.yaml', '')
      desk.write(join('home', '.config/holdfast/config.yaml'), `token: x\ntoken_file: ${path}\n`)
      assert.equal((await refused(desk, [])).exit, 2)
      chmodSync(path, 0o644)
      desk.write(join('home', '.config/holdfast/config.yaml'), `token-file: ${path}\n`)
      assert.equal((await refused(desk, [])).exit, 4)
    })
  })
