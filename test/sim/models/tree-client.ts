import { act } from '../../../src/mcp/tree-actions.ts'
import { StoreError } from '../../../src/store/index.ts'
import {
  type BulkAction,
  type BulkResult,
  isChanged,
  versionOf,
} from '../../../src/tree/internal.ts'
import type { Client } from '../model.ts'
import type { Random } from '../random.ts'
import type { Ask, Refused, Said, Seen } from './tree-asks.ts'
import { Follower } from './tree-follower.ts'
import { refusalOf, TreeSession } from './tree-session.ts'

const dayMs = 86_400_000
const pauseMsMax = 200_000
const statuses = ['in_progress', 'open', 'pending_merge', 'blocked', 'closed'] as const
const tagNames = ['red', 'green', 'blue'] as const

export class TreeClient extends TreeSession implements Client {
  #follower: Follower | null = null

  /** By now a follower must hear of all that has happened. */
  async quiet(): Promise<void> {
    for (const flaw of (await this.#follower?.missed()) ?? []) this.tools.oracle.violated(flaw)
  }

  async close(): Promise<void> {
    await this.#follower?.close()
  }

  async perform(what: string, random: Random): Promise<void> {
    const { process, scene } = this.tools
    scene.note(process, () => `${what} …`)
    await (this as unknown as Record<string, (random: Random) => Promise<void>>)[what]?.(random)
  }

  async create(random: Random): Promise<void> {
    await this.change('create', '', { mark: this.mark(), tags: someTags(random) })
  }

  async subtask(random: Random): Promise<void> {
    const { known } = this.tools
    if (known.length === 0) return this.create(random)
    await this.change('create', this.any(random), { mark: this.mark(), tags: someTags(random) })
  }

  claim(random: Random): Promise<void> {
    return this.#claim(random, this.any(random))
  }

  async reclaim(random: Random): Promise<void> {
    await this.change('reclaim', this.mine(random))
  }

  async release(random: Random): Promise<void> {
    await this.change('release', this.mine(random), { isForced: random.chance(0.4) })
  }

  async complete(random: Random): Promise<void> {
    const isUnreviewed = random.chance(0.4)
    await this.change('complete', this.mine(random), { mark: this.mark(), isUnreviewed })
  }

  async block(random: Random): Promise<void> {
    await this.change('block', this.mine(random), { mark: this.mark() })
  }

  async unblock(random: Random): Promise<void> {
    await this.change('unblock', this.any(random))
  }

  async approve(random: Random): Promise<void> {
    await this.change('approve', this.any(random))
  }

  async reject(random: Random): Promise<void> {
    await this.change('reject', this.any(random), { mark: this.mark() })
  }

  async setStatus(random: Random): Promise<void> {
    const to = random.pick(statuses)
    await this.change('setStatus', this.any(random), { to, mark: this.mark() })
  }

  async edit(random: Random): Promise<void> {
    await this.change('edit', this.any(random), { mark: this.mark() }, random)
  }

  async retag(random: Random): Promise<void> {
    const verb = random.pick(['addTags', 'setTags', 'removeTags'] as const)
    await this.change(verb, this.any(random), { tags: someTags(random) }, random)
  }

  async reparent(random: Random): Promise<void> {
    const to = random.chance(0.2) ? null : this.any(random)
    await this.change('reparent', this.any(random), { to }, random)
  }

  async restore(random: Random): Promise<void> {
    const { record } = this.tools.oracle
    const hidden = this.tools.known.filter((id) => record.now(id)?.deleted_at)
    const id = hidden.length > 0 && random.chance(0.8) ? random.pick(hidden) : this.any(random)
    await this.change('restore', id)
  }

  async delete(random: Random): Promise<void> {
    const ask: Ask = { verb: 'delete', id: this.any(random), agent: this.tools.agent }
    if (ask.id === '') return
    const { oracle } = this.tools
    const since = oracle.begun(ask)
    const descendants = await this.asked(ask, since, () => this.access.remove(ask))
    if (descendants) oracle.deleted(ask, since, descendants)
  }

  /** Claims a task, and closes it at once; what is closed with all below it retention hides later. */
  async finish(random: Random, id = this.any(random)): Promise<void> {
    await this.#claim(random, id)
    await this.change('complete', id, { mark: this.mark(), isUnreviewed: true })
  }

  /** A family that is closed, which retention hides as a whole. */
  async sow(random: Random): Promise<void> {
    const ids: string[] = []
    for (let count = random.int(2, 4); count > 0; count--) {
      const parent = ids.length === 0 ? '' : random.pick(ids)
      const made = await this.change('create', parent, { mark: this.mark(), tags: [] })
      if (made) ids.unshift(made.task.id)
    }
    for (const id of ids) await this.finish(random, id)
  }

  /** As agents do that ask for any work. */
  async claimAny(random: Random): Promise<void> {
    const { agent, oracle, process, scene } = this.tools
    const since = oracle.record.moment
    const tags = this.#claimTags(random)
    try {
      const outcome = await act(this.tree, { action: 'claim', add_tags: tags }, agent)
      scene.note(process, () => `… ${outcome?.task.id ?? 'nothing'}`)
      if (outcome === null) return oracle.readings.ready([], since)
      const ask: Ask = { verb: 'claim', id: outcome.task.id, agent, tags }
      this.held.push(ask.id)
      oracle.done(ask, since, saidOf(outcome.task))
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      scene.note(process, () => `… ${error.code}: ${error.message}`)
    }
  }

  async bulk(random: Random): Promise<void> {
    const { known, agent, oracle } = this.tools
    const action = random.pick<BulkAction>(['close', 'delete', 'add_tags', 'remove_tags'])
    const task_ids = [...new Set(known.slice(-4))]
    const tags = action.endsWith('tags') ? someTags(random) : undefined
    const asks = task_ids.map((id) => bulkAsk(action, { id, agent, tags }))
    if (asks.length === 0) return
    const since = oracle.begun(asks[0] as Ask)
    const isDone = await this.quietly(() =>
      this.tree.bulk({ action, task_ids, tags }, agent, {
        onResult: (result) => this.#bulkResult(asks, since, result),
      }),
    )
    if (isDone === null) for (const ask of asks) oracle.doubtful(ask)
  }

  async get(random: Random): Promise<void> {
    const { oracle } = this.tools
    const id = this.any(random)
    if (id === '') return
    const since = oracle.record.moment
    const found = await this.read(id, () => this.access.read(id))
    if (!found) return
    this.versions.set(id, found.version)
    oracle.readings.one(found.task as Seen, found.version, since)
  }

  async ready(): Promise<void> {
    const { oracle } = this.tools
    const since = oracle.record.moment
    const tasks = await this.quietly(() => this.access.ready())
    if (tasks) oracle.readings.ready(tasks as readonly Seen[], since)
  }

  async list(random: Random): Promise<void> {
    const { oracle } = this.tools
    const since = oracle.record.moment
    const query = random.pick([
      {},
      { status: [random.pick(statuses)] },
      { tag: [random.pick(tagNames)] },
      { parent_id: [this.any(random)] },
    ] as { status?: (typeof statuses)[number][]; tag?: string[]; parent_id?: string[] }[])
    if (query.parent_id?.[0] === '') return
    const page = await this.quietly(() =>
      this.tree.list({ ...query, limit: Number.POSITIVE_INFINITY }),
    )
    const { status, tag, parent_id } = query
    if (page)
      oracle.readings.list(page.tasks as readonly Seen[], page.total, since, (task) => {
        if (status) return status.includes(task.status)
        if (tag) return task.tags.some((each) => tag.includes(each))
        return parent_id === undefined || parent_id.includes(task.parent_id ?? '')
      })
  }

  async subtree(random: Random): Promise<void> {
    const { oracle } = this.tools
    const id = this.any(random)
    if (id === '') return
    const since = oracle.record.moment
    const page = await this.read(id, () => this.tree.subtreeList(id))
    if (page) oracle.readings.subtree(id, page.tasks as readonly Seen[], since)
  }

  async history(random: Random): Promise<void> {
    const { oracle } = this.tools
    const id = this.any(random)
    if (id === '') return
    const since = oracle.record.moment
    const entries = await this.read(id, () => this.tree.history(id))
    if (entries) oracle.readings.history(id, entries, since)
  }

  async maintain(random: Random): Promise<void> {
    const { retentionDays = 0, softDeleteDays = 0 } = this.tools.options
    const days = random.pick([0, retentionDays, retentionDays, softDeleteDays])
    // Not for ever: others may restore meanwhile what is hidden.
    await this.pause(Math.min(days * dayMs * random.next() * 2, pauseMsMax))
    await this.quietly(() => this.tree.maintain())
  }

  async repair(): Promise<void> {
    await this.quietly(() => this.tree.repair())
  }

  async follow(): Promise<void> {
    if (this.#follower !== null) return
    const { oracle, scene, process } = this.tools
    const follower = new Follower(this.tree, oracle.record)
    const note = ({ type, ...event }: { type: string; task?: { id: string } }) =>
      scene.note(process, () => `heard ${type} ${event.task?.id ?? ''}`)
    if (await follower.start(note)) this.#follower = follower
  }

  /** Works for a while, longer than some claims last, and than what is closed is kept. */
  async hold(random: Random): Promise<void> {
    await this.pause(random.logarithmic(10, pauseMsMax))
  }

  async #claim(random: Random, id: string): Promise<void> {
    this.held.push(id)
    await this.change('claim', id, { tags: this.#claimTags(random) })
  }

  #claimTags(random: Random): string[] {
    return random.chance(0.3) ? [random.pick(tagNames)] : []
  }

  #bulkResult(asks: readonly Ask[], since: number, result: BulkResult): void {
    const { oracle } = this.tools
    const ask = asks.find(({ id }) => id === result.id) as Ask
    if (result.success) oracle.bulkDone(ask, since, result.changed)
    else oracle.refused(ask, since, refusalOf(result.error) as Refused)
  }
}

const bulkAsk = (action: BulkAction, rest: Omit<Ask, 'verb'>): Ask => {
  if (action === 'close') return { verb: 'setStatus', to: 'closed', ...rest }
  const verbs = { add_tags: 'addTags', remove_tags: 'removeTags', delete: 'delete' } as const
  return { verb: verbs[action as keyof typeof verbs], ...rest }
}

const someTags = (random: Random): string[] => [random.pick(tagNames)]

const saidOf = (task: Said['task']): Said => ({
  task,
  version: versionOf(task as never),
  isChanged: isChanged(task as never),
})
