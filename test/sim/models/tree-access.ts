import {
  type By,
  isChanged,
  type RestoredTask,
  type Status,
  type Task,
  type TaskTree,
  versionOf,
} from '../../../src/tree/internal.ts'
import type { Ask, Said, Verb } from './tree-asks.ts'

/** How a client gets at the tree: as a library, or over HTTP. */
export interface Access {
  change(ask: Ask): Promise<Said>
  /** The ids of all that was below it. */
  remove(ask: Ask): Promise<readonly string[]>
  read(id: string): Promise<{ task: Task; version: number }>
  ready(): Promise<readonly Task[]>
}

const byOf = ({ agent, version }: Ask): By => (version === undefined ? agent : { agent, version })

type Run = (tree: TaskTree, ask: Ask, by: By) => Promise<Task>

const runs: Readonly<Record<Exclude<Verb, 'delete'>, Run>> = {
  create: (tree, { id, mark = '', tags = [] }, by) =>
    id === ''
      ? tree.create({ title: mark, tags }, by)
      : tree.createSubtask(id, { title: mark, tags }, by),
  claim: (tree, { id, tags = [] }, by) => tree.claim(id, by, { tags }),
  reclaim: (tree, { id }, by) => tree.reclaim(id, by),
  release: (tree, { id, isForced = false }, by) => tree.release(id, by, { force: isForced }),
  complete: (tree, { id, mark, isUnreviewed = false }, by) =>
    tree.complete(id, by, { summary: mark, skip_review: isUnreviewed }),
  block: (tree, { id, mark }, by) => tree.block(id, by, { reason: mark }),
  unblock: (tree, { id }, by) => tree.unblock(id, by),
  approve: (tree, { id }, by) => tree.approve(id, by),
  reject: (tree, { id, mark }, by) => tree.reject(id, by, { reason: mark }),
  setStatus: (tree, { id, to, mark }, by) => tree.setStatus(id, to as Status, by, { reason: mark }),
  edit: (tree, { id, mark, tags }, by) => tree.edit(id, { title: mark, add_tags: tags }, by),
  addTags: (tree, { id, tags = [] }, by) => tree.addTags(id, tags, by),
  setTags: (tree, { id, tags = [] }, by) => tree.setTags(id, tags, by),
  removeTags: (tree, { id, tags = [] }, by) => tree.removeTags(id, tags, by),
  reparent: (tree, { id, to = null }, by) => tree.reparent(id, to, by),
  restore: (tree, { id }, by) => tree.restore(id, by),
}

export const libraryAccess = (tree: TaskTree): Access => ({
  async change(ask) {
    const task = await runs[ask.verb as keyof typeof runs](tree, ask, byOf(ask))
    const { restored } = task as Partial<RestoredTask>
    return {
      task: task as Said['task'],
      version: versionOf(task),
      isChanged: isChanged(task),
      restored,
    }
  },
  remove: async (ask) => (await tree.delete(ask.id, byOf(ask))).descendants,
  read: (id) => tree.getVersion(id),
  ready: async () => (await tree.ready({ limit: Number.POSITIVE_INFINITY })).tasks,
})
