import { verb } from './verb.ts'

export const unarchive = verb({
  name: 'unarchive',
  about: 'bring archived tasks back to the status they had',
  examples: ['qo unarchive 7019a8c3'],
  act: (queue, id) => queue.unarchive(id),
  line: ({ task }) => `Task unarchived: ${task.id} (status: ${task.status})`,
})
