import { createRequire } from 'node:module'
import { StoreError } from '../../error.ts'

/**
 * The little of SQLite that the driver uses, the same on both engines: `node:sqlite`, built into newer
 * Nodes, and the package `better-sqlite3` elsewhere.
 */
export interface Database {
  exec(sql: string): void
  prepare(sql: string): Statement
  close(): void
}

export interface Statement {
  /** The first row, or undefined. */
  get(...parameters: readonly Parameter[]): Row | undefined
  all(...parameters: readonly Parameter[]): Row[]
  /** How many rows it changed. */
  run(...parameters: readonly Parameter[]): { readonly changes: number | bigint }
}

type Parameter = string | number | Uint8Array
export type Row = Record<string, unknown>

interface Engine {
  readonly name: 'node:sqlite' | 'better-sqlite3'
  open(path: string, options: { readOnly: boolean }): Database
}

/** The oldest SQLite whose write-ahead log can be trusted with several processes. */
const sqliteVersionMin = '3.51.3'

const require = createRequire(import.meta.url)
let chosen: Engine | undefined

/** The built-in engine where it is recent enough, else the package. Loaded at the first call. */
export function loadEngine(): Engine {
  chosen ??= isBuiltInUsable() ? builtInEngine() : packagedEngine()
  return chosen
}

export function isBuiltInUsable(version: string | undefined = process.versions['sqlite']): boolean {
  if (version === undefined) return false
  const numbers = (text: string) => text.split('.').map(Number)
  const [wanted, found] = [numbers(sqliteVersionMin), numbers(version)]
  const at = wanted.findIndex((number, index) => number !== found[index])
  return at === -1 || (found[at] ?? 0) > (wanted[at] as number)
}

function builtInEngine(): Engine {
  const { DatabaseSync } = quietly(() => require('node:sqlite')) as NodeSqlite
  return { name: 'node:sqlite', open: (path, { readOnly }) => new DatabaseSync(path, { readOnly }) }
}

function packagedEngine(): Engine {
  const Constructor = requirePackage()
  return {
    name: 'better-sqlite3',
    open: (path, { readOnly }) => new Constructor(path, { readonly: readOnly, timeout: 0 }),
  }
}

function requirePackage(): BetterSqlite {
  try {
    const Constructor = require('better-sqlite3') as BetterSqlite
    // The package loads its compiled half only when it is first used.
    new Constructor(':memory:', { readonly: false, timeout: 0 }).close()
    return Constructor
  } catch (error) {
    throw new StoreError(
      'no_engine',
      `Node ${process.version} brings no SQLite of ${sqliteVersionMin} or newer, and the package better-sqlite3 does not load here.`,
      'Run "npm install better-sqlite3@12", or use Node 24 or newer.',
      error,
    )
  }
}

interface NodeSqlite {
  DatabaseSync: new (path: string, options: { readOnly: boolean }) => Database
}
type BetterSqlite = new (path: string, options: { readonly: boolean; timeout: number }) => Database

/** Some Nodes warn on loading `node:sqlite` that it is experimental; that is no news for our users. */
function quietly<T>(load: () => T): T {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return load()
  } finally {
    process.emitWarning = emitWarning
  }
}

/** The primary result codes of SQLite that the driver tells apart. */
const resultNames: Readonly<Record<number, string>> = {
  3: 'PERM',
  5: 'BUSY',
  6: 'LOCKED',
  8: 'READONLY',
  10: 'IOERR',
  11: 'CORRUPT',
  13: 'FULL',
  14: 'CANTOPEN',
  26: 'NOTADB',
}

/** The primary result code of a failure, such as `BUSY`; null where SQLite did not fail at all. */
export function sqliteResult(error: unknown): string | null {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  if (errcode === noRoomForIndex || code === 'SQLITE_IOERR_SHMSIZE') return 'FULL'
  if (typeof errcode === 'number') return resultNames[errcode & 0xff] ?? 'ERROR'
  if (typeof code === 'string' && code.startsWith('SQLITE_')) return code.split('_')[1] as string
  return null
}

/** SQLITE_IOERR_SHMSIZE: the disk has no room for the index of the write-ahead log. */
const noRoomForIndex = 4874
