import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, test } from 'vitest'

/** Pages whose commands need nothing but a folder. */
const pages = ['docs/operations.md', 'docs/agents.md']

describe('every command of a page runs, one after another in an empty folder', () => {
  for (const page of pages)
    for (const [at, [, commands]] of [
      ...readFileSync(page, 'utf8').matchAll(/^```sh\n(.*?)^```/gms),
    ].entries())
      test(`${page}, commands ${at + 1}`, () => {
        const folder = mkdtempSync(join(tmpdir(), 'holdfast-docs-'))
        try {
          const PATH = `${resolve('bin')}:${process.env['PATH']}`
          execFileSync('/bin/sh', ['-e', '-c', commands as string], {
            cwd: folder,
            env: { PATH, HOME: folder },
            stdio: ['ignore', 'pipe', 'pipe'],
          })
        } finally {
          rmSync(folder, { recursive: true, force: true })
        }
      })
})
