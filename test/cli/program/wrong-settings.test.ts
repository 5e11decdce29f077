import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { test } from 'vitest'
import { type SettingName, settingRules } from '../../../src/cli/program/setting.ts'
import { qo } from '../../../src/cli/qo.ts'
import { temporaryFolder } from '../../store/ground.ts'
import { run } from '../terminal.ts'

test.each(Object.keys(settingRules) as SettingName[])(
  'a wrong value of %s is answered with what that key takes, and names no other',
  async (name) => {
    await using folder = await temporaryFolder()
    const cwd = folder.path('.')
    mkdirSync(folder.path('.config/holdfast'), { recursive: true })
    writeFileSync(folder.path('.config/holdfast/config.yaml'), `${name}: {}\n`)
    const { exit, stderr } = await run(qo, ['worker', '--exec', 'x=true'], {
      cwd,
      env: { HOME: cwd },
    })
    assert.equal(exit, 2)
    assert.ok(stderr.includes(`${name} must be ${settingRules[name].form}.`), stderr)
    const [, key, example] = /Correct it as in "([^:]+): (.+?)"/.exec(stderr) ?? []
    if (key === undefined) assert.match(stderr, /Correct the value, or remove the line\./)
    else {
      assert.equal(key, name)
      assert.ok(settingRules[name].isRight(example as string), example)
    }
  },
)
