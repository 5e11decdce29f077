import type { Command } from '../../program/command.ts'
import { grimoireSelection } from '../grimoire.ts'
import { library } from '../tree.ts'
import { splitTags } from '../words.ts'
import { verb } from './verb.ts'

export const claim: Command = verb({
  name: 'claim',
  about: 'take a task, so that nobody else does',
  details:
    'It must be open. The grimoire to work by is chosen now, and kept with the task; "coven matchers explain" says why.',
  options: { tags: { value: 'TAGS', isMany: true, about: 'tags to add at the same time, as a,b' } },
  examples: ['coven task claim 019a8b5c --agent-id agent-7'],
  needsAgent: true,
  tree: grimoireSelection,
  async prepare({ args }) {
    const { checkTags } = await library()
    const tags = checkTags(args.values('tags').flatMap(splitTags))
    return (tree, id, by) => tree.claim(id, by, { tags })
  },
  line: ({ id }) => `Claimed task ${id}`,
  note: ({ grimoire }) => `grimoire: ${grimoire}`,
})
