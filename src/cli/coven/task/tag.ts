import type { Task, TaskTree } from '../../../tree/internal.ts'
import type { Argument, Command } from '../../program/command.ts'
import { oneLine } from '../../program/printable.ts'
import { checkedPrefix, idArgument, idOf, library, withTree } from '../tree.ts'
import { splitTags } from '../words.ts'
import { verb } from './verb.ts'

const tagArgument: Argument = {
  name: 'TAG',
  about: 'tags, as separate words or as a,b',
  isMany: true,
}

interface TagVerb {
  readonly name: string
  readonly about: string
  readonly tag?: Argument
  readonly method: 'addTags' | 'removeTags' | 'setTags'
}

const tagVerb = ({ name, about, tag = tagArgument, method }: TagVerb): Command =>
  verb({
    name,
    about,
    arguments: [idArgument, tag],
    examples: [`coven task tag ${name} 019a8b5c docs,area/web`],
    async prepare({ args }) {
      const { checkTags } = await library()
      const tags = checkTags(args.words.slice(1).flatMap(splitTags))
      return (tree: TaskTree, id: string, by: string) => tree[method](id, tags, by)
    },
    line: (task) => `Task ${task.id} has ${tagsIn(task)}`,
    idle: (task) => `Task ${task.id} already has ${tagsIn(task)}`,
  })

const tagsIn = ({ tags }: Task): string =>
  tags.length === 0 ? 'no tags' : `the tags ${tags.map(oneLine).join(',')}`

const listTags: Command = {
  name: 'list',
  about: 'list the tags of a task, one a line',
  arguments: [idArgument],
  async run(context) {
    const prefix = await checkedPrefix(context.args.words[0])
    const { tags } = await withTree(context, async (tree) => tree.get(await idOf(tree, prefix)))
    context.out.answer({ kind: 'tag.list', data: tags, lines: tags.map(oneLine) })
  },
}

export const tag: Command = {
  name: 'tag',
  about: 'add, remove, set or list the tags of a task',
  commands: [
    tagVerb({ name: 'add', about: 'add tags to a task', method: 'addTags' }),
    tagVerb({ name: 'remove', about: 'take tags from a task', method: 'removeTags' }),
    tagVerb({
      name: 'set',
      about: 'give a task these tags and no others; none without any',
      tag: { ...tagArgument, isOptional: true },
      method: 'setTags',
    }),
    listTags,
  ],
}
