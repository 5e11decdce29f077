import { type Store, StoreError } from '../../../src/store/index.ts'
import { TaskTree, type TaskTreeOptions, TreeError } from '../../../src/tree/index.ts'
import type { Scene } from '../model.ts'
import type { Process } from '../process.ts'
import type { Random } from '../random.ts'
import { type Access, libraryAccess } from './tree-access.ts'
import type { Ask, Refused, Said, Verb } from './tree-asks.ts'
import { AnswerError, httpAccess } from './tree-http.ts'
import type { TreeOracle } from './tree-oracle.ts'

interface Tools {
  readonly store: Store
  readonly options: TaskTreeOptions
  readonly agent: string
  readonly isRemote: boolean
  readonly process: Process
  readonly scene: Scene
  readonly oracle: TreeOracle
  /** Ids that some client has heard of, to do something with. */
  readonly known: string[]
  readonly newMark: () => string
}

/** A client's way to the tree: every call is noted here, and what it hears is judged. */
export class TreeSession {
  protected readonly tools: Tools
  protected readonly tree: TaskTree
  protected readonly access: Access
  /** Versions that were read, to make changes conditional on. */
  protected readonly versions = new Map<string, number>()
  /** What it has claimed, or believes it has. */
  protected readonly held: string[] = []

  constructor(tools: Tools) {
    this.tools = tools
    this.tree = new TaskTree(tools.store, tools.options)
    this.access = tools.isRemote ? httpAccess(this.tree) : libraryAccess(this.tree)
  }

  protected mark(): string {
    return this.tools.newMark()
  }

  /** Mostly one of the latest, so that clients meet. */
  protected any(random: Random): string {
    const { known } = this.tools
    if (known.length === 0) return ''
    return random.pick(random.chance(0.7) ? known.slice(-5) : known)
  }

  protected mine(random: Random): string {
    if (this.held.length === 0 || random.chance(0.2)) return this.any(random)
    return random.pick(this.held.slice(-3))
  }

  protected async change(
    verb: Verb,
    id: string,
    more: Partial<Ask> = {},
    random?: Random,
  ): Promise<Said | null> {
    const { agent, oracle, known, process, scene } = this.tools
    if (id === '' && verb !== 'create') return null
    const version = random?.chance(0.4) ? this.versions.get(id) : undefined
    const ask: Ask = { verb, id, agent, version, ...more }
    const since = oracle.begun(ask)
    const said = await this.asked(ask, since, () => this.access.change(ask))
    if (!said) return null
    scene.note(process, () => `… ${said.task.id} ${said.task.status} by ${said.task.claimed_by}`)
    oracle.done(ask, since, said)
    if (said.version !== undefined) this.versions.set(said.task.id, said.version)
    if (verb === 'create') known.push(said.task.id)
    return said
  }

  /** The one place where it is settled what a failure of a change means. */
  protected async asked<T>(ask: Ask, since: number, call: () => Promise<T>): Promise<T | null> {
    const { oracle, process, scene } = this.tools
    scene.note(process, () => JSON.stringify(ask))
    try {
      return await call()
    } catch (error) {
      const refusal = refusalOf(error)
      scene.note(process, () => `… ${(error as StoreError).code}: ${(error as Error).message}`)
      if (refusal) oracle.refused(ask, since, refusal)
      else if (!(error instanceof StoreError)) throw error
      else if (error.code === 'unknown_outcome') oracle.doubtful(ask)
      else oracle.nothingHappened(ask, since)
      return null
    }
  }

  /** Reads of one task, which may be gone. */
  protected async read<T>(id: string, call: () => Promise<T>): Promise<T | null> {
    return this.quietly(async () => {
      try {
        return await call()
      } catch (error) {
        if (refusalOf(error)?.code !== 'TASK_NOT_FOUND') throw error
        this.tools.oracle.readings.gone(id)
        return null
      }
    })
  }

  /** What may fail with the store without any consequence. */
  protected async quietly<T>(call: () => Promise<T>): Promise<T | null> {
    const { process, scene } = this.tools
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      scene.note(process, () => `… ${error.code}: ${error.message}`)
      return null
    }
  }

  protected async pause(ms: number): Promise<void> {
    const { process } = this.tools
    await new Promise<void>((resolve) => void process.after(ms, resolve))
  }
}

/** What was refused, by the library or over HTTP; null where the call failed otherwise. */
export function refusalOf(error: unknown): Refused | null {
  if (error instanceof AnswerError) return error
  if (!(error instanceof TreeError)) return null
  return { code: error.code, status: error.httpStatus, details: error.details }
}
