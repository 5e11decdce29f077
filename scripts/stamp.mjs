import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './shell.mjs'

/** One hash of the contents of files and folders of the checkout, and of any further words. */
export function fingerprint(paths, ...words) {
  const hash = createHash('sha256')
  for (const word of words) hash.update(`${word}\0`)
  for (const path of paths.flatMap(filesBelow))
    hash.update(`${path}\0`).update(readFileSync(root(path)))
  return hash.digest('hex')
}

function filesBelow(path) {
  if (!statSync(root(path)).isDirectory()) return [path]
  return readdirSync(root(path))
    .sort()
    .flatMap((name) => filesBelow(join(path, name)))
}

/** Whether the step that wrote this stamp was last done for the same fingerprint. */
export function isFresh(stampPath, wanted) {
  try {
    return readFileSync(root(stampPath), 'utf8') === wanted
  } catch {
    return false
  }
}

export function markFresh(stampPath, wanted) {
  mkdirSync(dirname(root(stampPath)), { recursive: true })
  writeFileSync(root(stampPath), wanted)
}
