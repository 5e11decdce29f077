import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { test } from 'vitest'
import { type Page, pages } from './page.ts'
import { Session } from './session.ts'

const run = promisify(execFile)
const testsMin = 70

test('the driver in docs/drivers.md compiles by our own rules, and passes the suite that it is shown with', async () => {
  const { blocks } = pages.find(({ path }) => path === 'docs/drivers.md') as Page
  const [driver, suite] = blocks.filter(({ language }) => language === 'ts')
  await using session = new Session()
  const { folder } = session
  const place = (name: string, text: string) => writeFileSync(join(folder, name), text)
  place('map-store.ts', driver?.code as string)
  place('map-store.test.ts', suite?.code as string)
  place('package.json', '{"type": "module"}')
  const { compilerOptions } = JSON.parse(readFileSync('tsconfig.json', 'utf8'))
  const { noEmit, ...options } = compilerOptions
  place('tsconfig.json', JSON.stringify({ compilerOptions: options, files: ['map-store.test.ts'] }))
  symlinkSync(resolve('node_modules/@types'), join(folder, 'node_modules/@types'))

  await run(process.execPath, [resolve('node_modules/typescript/lib/tsc.js'), '-p', folder])
  const { stdout } = await run(process.execPath, ['map-store.test.js'], { cwd: folder })
  const [, passed] = /^(?:#|ℹ) pass (\d+)$/m.exec(stdout) ?? []
  assert.ok(Number(passed) >= testsMin, stdout)
  assert.match(stdout, /^(?:#|ℹ) fail 0$/m)
})
