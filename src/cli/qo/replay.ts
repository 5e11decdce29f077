import { verb } from './verb.ts'

export const replay = verb({
  name: 'replay',
  about: 'run failed or cancelled tasks again, with all their retries',
  examples: [
    'qo replay 7019a8c3',
    "qo list --status failed --all --json | jq -r '.data[].id' | xargs qo replay",
  ],
  act: (queue, id) => queue.replay(id),
  line: ({ task }) => `Task replayed: ${task.id}`,
})
