import type { Command } from '../program/command.ts'
import { ancestors } from './task/ancestors.ts'
import { approve } from './task/approve.ts'
import { block } from './task/block.ts'
import { bulk } from './task/bulk.ts'
import { children } from './task/children.ts'
import { claim } from './task/claim.ts'
import { complete } from './task/complete.ts'
import { create } from './task/create.ts'
import { deleteTask } from './task/delete.ts'
import { history } from './task/history.ts'
import { list } from './task/list.ts'
import { ready } from './task/ready.ts'
import { reclaim } from './task/reclaim.ts'
import { reject } from './task/reject.ts'
import { release } from './task/release.ts'
import { reparent } from './task/reparent.ts'
import { restore } from './task/restore.ts'
import { show } from './task/show.ts'
import { subtree } from './task/subtree.ts'
import { tag } from './task/tag.ts'
import { unblock } from './task/unblock.ts'
import { update } from './task/update.ts'

export const task: Command = {
  name: 'task',
  about: 'add tasks, find them, and work on them',
  details:
    'A task goes from open to in_progress (claim), pending_merge (complete) and closed (approve), or to blocked (block, reject) and back to open (unblock). Wherever an ID is asked for, the start of one will do.',
  commands: [
    create,
    show,
    list,
    ready,
    update,
    deleteTask,
    claim,
    reclaim,
    release,
    complete,
    block,
    unblock,
    approve,
    reject,
    restore,
    subtree,
    ancestors,
    children,
    reparent,
    tag,
    history,
    bulk,
  ],
}
