// How long each file of tests took in the last `npm test`, by the clock and of the processor, in the user's cache:
// test/times.ts notes it, and test/order.ts sorts by it.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { testTimes } from './fetch/paths.mjs'
import { root } from './shell.mjs'

/** What is known; nothing where there was no run yet, or where the file is damaged. */
export function lastTimes(path = testTimes) {
  try {
    return linesIn(path)
  } catch {
    return []
  }
}

/** Adds what a run noted. Files that it left out keep what they had. */
export function keepTimes(notes, path = testTimes) {
  if (!existsSync(notes)) return
  const all = new Map([...lastTimes(path), ...linesIn(notes)].map((times) => [times.file, times]))
  const lines = [...all.values()]
    .filter(({ file }) => existsSync(root(file)))
    .map((times) => `${JSON.stringify(times)}\n`)
  mkdirSync(dirname(path), { recursive: true })
  // Another run may be reading it.
  writeFileSync(`${path}.${process.pid}`, lines.join(''))
  renameSync(`${path}.${process.pid}`, path)
}

const linesIn = (path) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => checked(JSON.parse(line)))

function checked({ file, ms, processorMs }) {
  if (typeof file !== 'string' || !(ms > 0) || !(processorMs >= 0))
    throw new Error('These are no times')
  return { file, ms, processorMs }
}
