import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { StoreError } from '../../error.ts'
import { Feed } from '../../feed.ts'
import { guarded } from '../../guard.ts'
import { keyRange } from '../../key.ts'
import { type PageReader, paged } from '../../pages.ts'
import {
  type CommitResult,
  commitWritesMax,
  type Entry,
  type Head,
  type ListOptions,
  type Store,
  valueBytesMax,
  type WatchEvent,
  type Write,
} from '../../store.ts'
import { backUp } from './backup.ts'
import { checkCompanions, judgeCompanions } from './companions.ts'
import { Connection } from './connection.ts'
import { loadEngine, type Row } from './engine.ts'
import { foreignFileError, storeErrorOf } from './failure.ts'
import {
  checkSchemaVersion,
  identityOf,
  inspectFile,
  makeFile,
  makeFolders,
  refuseOrphanedLog,
} from './file.ts'
import { retryWhileLocked } from './lock.ts'
import { refuseNetworkFilesystem } from './network.ts'
import { createSchema, ownerOf, pragma, schemaFlawOf } from './schema.ts'
import { Tail } from './tail.ts'
import { Writer } from './writer.ts'

/** A store in one SQLite file, which any number of processes of this machine may have open. */
export async function openSqlite(path: string, { create = true } = {}): Promise<Store> {
  const file = resolve(path)
  try {
    const connection = await connect(file, create)
    return guarded(new SqliteStore(connection, identityOf(statSync(file))))
  } catch (error) {
    throw storeErrorOf(error, file)
  }
}

async function connect(path: string, create: boolean): Promise<Connection> {
  const state = inspectFile(path)
  const giveBack = judgeCompanions(path, state)
  try {
    if (!state.isThere) refuseOrphanedLog(path)
    if (!state.isThere && !create) throw missingStore(path)
    refuseNetworkFilesystem(path)
    if (!state.isThere) {
      makeFolders(path)
      if (state.isWritable) makeFile(path, state)
    }
    return await prepared(new Connection(path, state.isWritable))
  } finally {
    giveBack()
  }
}

async function prepared(connection: Connection): Promise<Connection> {
  try {
    await retryWhileLocked(() => prepare(connection))
    // Somebody may have made them since they were judged.
    checkCompanions(connection.path)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** A process may have died while it laid the tables; then the file is as empty as before. */
function prepare(connection: Connection): void {
  const owner = ownerOf(connection.database)
  if (owner === 'another')
    throw foreignFileError(connection.path, 'it is the SQLite database of another program')
  if (owner === 'nobody') createSchema(connection.database)
  // Before its tables, which may be others in a newer one.
  checkSchemaVersion(connection.path, pragma(connection.database, 'user_version') as number)
  const flaw = schemaFlawOf(connection.database)
  if (flaw !== null) throw foreignFileError(connection.path, flaw)
  connection.configure()
}

class SqliteStore implements Store {
  readonly limits = {
    commitWritesMax,
    commitSpan: 'store',
    valueBytesMax,
    watch: 'poll',
    durability: 'durable',
  } as const
  readonly #connection: Connection
  readonly #identity: string
  readonly #writer: Writer
  readonly #feed = new Feed()
  readonly #tail: Tail

  constructor(connection: Connection, identity: string) {
    this.#connection = connection
    this.#identity = identity
    this.#tail = new Tail(connection, identity, this.#feed)
    this.#writer = new Writer(connection, identity, () => this.#tail.nudge())
  }

  get(key: string): Promise<Entry | null> {
    return this.#connection.readTogether(() => {
      const row = this.#connection.statement(getSql).get(key)
      return row ? entryOf(key, row) : null
    })
  }

  list(prefix: string, options: ListOptions = {}): AsyncIterable<Head> {
    const head = (row: Row): Head => headOf(row['key'] as string, row)
    return paged(this.#pages('key, revision', prefix, options, head), options.limit)
  }

  scan(prefix: string, options: ListOptions = {}): AsyncIterable<Entry> {
    const entry = (row: Row): Entry => entryOf(row['key'] as string, row)
    return paged(this.#pages('key, revision, value', prefix, options, entry), options.limit)
  }

  commit(writes: readonly Write[]): Promise<CommitResult> {
    return this.#writer.commit(writes)
  }

  async *watch(prefix: string, signal?: AbortSignal): AsyncGenerator<WatchEvent> {
    if (!this.#tail.isOn) await this.#connection.read(() => this.#tail.start())
    yield* this.#feed.watch(prefix, signal)
  }

  async now(): Promise<number> {
    return Date.now()
  }

  isStill(heads: readonly Head[]): boolean {
    const revisions: number[] = []
    // Each is given once, to one state of one key, so it is there exactly as long as that state lasts.
    for (const { revision } of heads) revisions.push(Number(revision))
    return this.#connection.hasAll(revisions)
  }

  get engine(): string {
    const row = this.#connection.statement('SELECT sqlite_version() AS version').get()
    return `SQLite ${row?.['version']} (${loadEngine().name})`
  }

  async backup(): Promise<string> {
    try {
      return await backUp(this.#connection)
    } catch (error) {
      throw storeErrorOf(error, this.#connection.path)
    }
  }

  async snapshot(): Promise<Store> {
    const connection = new Connection(this.#connection.path, false)
    try {
      await connection.holdMoment()
      return guarded(new SqliteStore(connection, this.#identity))
    } catch (error) {
      connection.close()
      throw storeErrorOf(error, this.#connection.path)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#tail.stop()
    this.#connection.close()
  }

  #pages<T>(
    columns: string,
    prefix: string,
    options: ListOptions,
    toItem: (row: Row) => T,
  ): PageReader<T> {
    const { from, to } = keyRange(prefix, options)
    const order = options.reverse ? 'DESC' : 'ASC'
    const sql = `SELECT ${columns} FROM entry WHERE key > ? AND key < ? ORDER BY key ${order} LIMIT ?`
    return (last, limit) => {
      const bounds = options.reverse ? [from, last ?? to] : [last ?? from, to]
      return this.#connection.read(() =>
        this.#connection
          .statement(sql)
          .all(...bounds, limit)
          .map(toItem),
      )
    }
  }
}

const getSql = 'SELECT revision, value FROM entry WHERE key = ?'

const headOf = (key: string, row: Row): Head => ({ key, revision: String(row['revision']) })

const entryOf = (key: string, row: Row): Entry => ({
  key,
  value: bytesOf(row['value'] as Uint8Array),
  revision: String(row['revision']),
})

/** One engine gives a Buffer, which compares and prints unlike the plain bytes that the port promises. */
const bytesOf = (value: Uint8Array): Uint8Array =>
  value.constructor === Uint8Array
    ? value
    : new Uint8Array(value.buffer, value.byteOffset, value.byteLength)

const missingStore = (path: string): StoreError =>
  new StoreError(
    'missing_store',
    `There is no store at ${path}.`,
    'Check the path; a command that adds something creates the store.',
  )
