import { verb } from './verb.ts'

export const archive = verb({
  name: 'archive',
  about: 'archive completed, failed or cancelled tasks',
  details: 'They stay where they are, with their history, and are left out of lists.',
  examples: ['qo archive 7019a8c3 2019a8c4'],
  act: (queue, id) => queue.archive(id),
  line: ({ task, isChanged }) =>
    isChanged ? `Task archived: ${task.id}` : `Task already archived: ${task.id}`,
})
