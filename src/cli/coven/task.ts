import type { Command } from '../program/command.ts'
import { bulk } from './task/bulk.ts'
import { ancestors, children, history, list, ready, show, subtree } from './task/read.ts'
import { reparent, statusVerbs, tag } from './task/verbs.ts'
import { create, deleteTask, update } from './task/write.ts'

export const task: Command = {
  name: 'task',
  about: 'add tasks, find them, and work on them',
  details:
    'A task goes from open to in_progress (claim), pending_merge (complete) and closed (approve), or to blocked (block, reject) and back to open (unblock). Wherever an ID is asked for, the start of one will do.',
  commands: [
    ...[create, show, list, ready, update, deleteTask],
    ...statusVerbs,
    ...[subtree, ancestors, children, reparent, tag, history, bulk],
  ],
}
