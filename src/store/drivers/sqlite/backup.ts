import * as fs from 'node:fs'
import { dirname } from 'node:path'
import type { Connection } from './connection.ts'
import { makePrivateFile, privateFile } from './modes.ts'

/**
 * Writes a copy of the file beside it, as of one moment, whoever else reads or writes meanwhile. It is complete and
 * synced before it takes the place of the last one, and never more open than the file itself. Answers with its path.
 */
export async function backUp(connection: Connection): Promise<string> {
  const path = `${connection.path}.bak`
  // Several processes may end at the same time, each with a copy of its own.
  const partial = `${path}.${process.pid}`
  try {
    fs.rmSync(partial, { force: true })
    // SQLite writes into an empty file, and would make one as the umask says.
    makePrivateFile(partial, { like: connection.path })
    connection.endReads()
    await connection.read(() => connection.statement('VACUUM INTO ?').run(partial))
    sync(partial)
    fs.chmodSync(partial, privateFile & fs.statSync(connection.path).mode)
    fs.renameSync(partial, path)
    sync(dirname(path))
    return path
  } finally {
    fs.rmSync(partial, { force: true })
  }
}

function sync(path: string): void {
  const descriptor = fs.openSync(path, 'r')
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}
