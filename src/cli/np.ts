import { goal } from './np/goal.ts'
import { prime } from './np/prime.ts'
import { events, exportPlan, print, resume } from './np/read.ts'
import { archive, list, monitor, repair, start as startSession } from './np/sessions.ts'
import { tasks } from './np/tasks.ts'
import type { Program } from './program/command.ts'
import { completion } from './program/completion.ts'
import { start as startProgram } from './start.ts'

export const np: Program = {
  name: 'np',
  about: 'plans for agents that forget: a session per directory, its goal, its tasks and its log.',
  commands: [
    startSession,
    resume,
    print,
    goal,
    tasks,
    events,
    exportPlan,
    archive,
    list,
    monitor,
    prime,
    repair,
    completion,
  ],
  starter: 'np s',
  examples: [
    'np s',
    'np g s -t "Ship the parser" -d "Done when the suite passes"',
    'np t a -t "Write the grammar" -d "EBNF" -t "Write tests" -d ""',
    'np t u -i a1b2c3 -s in_progress',
    'np r',
  ],
}

export const start = (): Promise<void> => startProgram(np)
