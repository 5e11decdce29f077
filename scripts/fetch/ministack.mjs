import { say } from '../shell.mjs'
import { once } from './once.mjs'
import { folders, ministack, versions } from './paths.mjs'
import { installPython } from './python.mjs'

/** What it needs is pinned as well: a newer web server could answer otherwise. */
const packages = [
  `ministack==${versions.ministack}`,
  'hypercorn==0.18.0',
  'h11==0.16.0',
  'defusedxml==0.7.1',
  'jsonata-python==0.7.1',
  'pyyaml==6.0.3',
]

export const ministackTool = {
  isThere: () => ministack() !== null,
  needsPython: () => true,
  async fetch() {
    say(`Fetching ministack ${versions.ministack}, an emulator of S3: seconds.`)
    await once(folders.ministack, (folder) => installPython(folder, packages))
  },
}
