import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import { type Block, type Page, pages } from './page.ts'
import { Session } from './session.ts'
import { elsewhere, notRun, settingOf } from './settings.ts'
import { stepsOf } from './transcript.ts'

const languages = ['sh', 'console']

/** A page starts dozens of programs, and the machine may be busy. */
const pageMsMax = 360_000

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))

const isElsewhere = ({ path }: Page, { language }: Block): boolean =>
  elsewhere.some((each) => each.page === path && each.language === language)

const stepsIn = (page: Page) =>
  page.blocks
    .filter((block) => languages.includes(block.language) && !isElsewhere(page, block))
    .flatMap(({ language, code }) => stepsOf(language, code))
    .filter(({ command }) => !notRun.some((each) => each.command.test(command)))

describe('every command of a page runs, one after another in one home, and prints what is shown', () => {
  for (const page of pages.filter((each) => stepsIn(each).length > 0))
    test(
      page.path,
      async () => {
        await using session = new Session(await settingOf(page))
        for (const step of stepsIn(page)) await session.take(step)
      },
      pageMsMax,
    )
})

test('a script of the package that a page names is there', () => {
  const named = pages.flatMap(({ text }) => [...text.matchAll(/\bnpm run ([\w-]+)/g)])
  assert.ok(named.length > 0)
  assert.deepEqual(
    named.map(([, name]) => name as string).filter((name) => scripts[name] === undefined),
    [],
  )
})

test('a block that is run elsewhere is there, and that test names its page', () => {
  for (const { page, language, test } of elsewhere) {
    const { blocks } = pages.find(({ path }) => path === page) as Page
    assert.ok(
      blocks.some((block) => block.language === language),
      page,
    )
    assert.ok(readFileSync(test, 'utf8').includes(page), test)
  }
})

test('a command that is not run is named for a reason that still applies', () => {
  const commands = pages
    .flatMap(({ blocks }) => blocks)
    .flatMap(({ language, code }) => (languages.includes(language) ? stepsOf(language, code) : []))
  for (const { command, reason } of notRun)
    assert.ok(
      commands.some((each) => command.test(each.command)),
      reason,
    )
})
