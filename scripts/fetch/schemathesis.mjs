import { say } from '../shell.mjs'
import { once } from './once.mjs'
import { folders, schemathesis, versions } from './paths.mjs'
import { installPython } from './python.mjs'

/** Pinned: a newer one would try other things. What it needs follows by its own bounds. */
const packages = [`schemathesis==${versions.schemathesis}`]

export const schemathesisTool = {
  isThere: () => schemathesis() !== null,
  needsPython: () => true,
  async fetch() {
    say(`Fetching schemathesis ${versions.schemathesis}, which tries out HTTP APIs: seconds.`)
    await once(folders.schemathesis, (folder) => installPython(folder, packages))
  },
}
