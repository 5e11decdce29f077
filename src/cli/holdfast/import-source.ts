import { createWriteStream } from 'node:fs'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Context } from '../program/context.ts'
import { UsageError } from '../program/error.ts'

/** An export that can be read more than once. */
interface Source extends AsyncDisposable {
  chunks(): AsyncIterable<Uint8Array>
}

/** The file that the command line names; what can be read only once is put into a temporary one first. */
export async function openSource({ args, io }: Context): Promise<Source> {
  const [file = '-'] = args.words
  if (file === '') throw new UsageError('FILE is empty.', 'Name a file, or - for stdin.')
  if (file === '-') return spooled('stdin', io.stdin)
  const path = resolve(io.cwd(), file)
  try {
    const handle = await open(path)
    const stats = await handle.stat()
    if (stats.isFile()) return of(handle, path)
    if (stats.isDirectory()) throw new Error('it is a folder')
    return await spooled(path, handle.createReadStream())
  } catch (error) {
    throw error instanceof UsageError ? error : unreadable(path, error as Error)
  }
}

const of = (handle: FileHandle, name: string, end = async () => {}): Source => ({
  async *chunks() {
    try {
      yield* handle.createReadStream({ start: 0, autoClose: false }) as AsyncIterable<Uint8Array>
    } catch (error) {
      throw 'syscall' in (error as object) ? unreadable(name, error as Error) : error
    }
  },
  async [Symbol.asyncDispose]() {
    await handle.close()
    await end()
  },
})

async function spooled(name: string, stream: AsyncIterable<Uint8Array | string>): Promise<Source> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-import-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  const path = join(folder, 'export.ndjson')
  try {
    await pipeline(Readable.from(stream), createWriteStream(path, { mode: 0o600 }))
    return of(await open(path), name, remove)
  } catch (error) {
    await remove()
    throw unreadable(name, error as Error)
  }
}

const unreadable = (name: string, error: Error): UsageError =>
  new UsageError(`${name} can't be read: ${error.message}.`, 'Name another file.')
