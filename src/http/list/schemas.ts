import { taskFields } from '../../list/internal.ts'
import { type JsonSchema, objectOf, schemasOf } from '../../schema/index.ts'

/** What a task may be given. */
export const given = {
  text: { type: 'string', minLength: 1, description: 'Text of at most 64 KiB.' },
  tags: {
    type: 'array',
    items: { type: 'string', minLength: 1 },
    description: 'Words of at most 64 characters and 200 bytes, without commas and white space.',
  },
} as const satisfies Record<string, JsonSchema>

export const listSchemas: Readonly<Record<string, JsonSchema>> = {
  // Another program may have added fields; they are kept.
  ListTask: {
    type: 'object',
    properties: schemasOf(taskFields),
    required: Object.keys(taskFields),
  },
  ListTag: objectOf(
    { tag: { type: 'string' }, count: { type: 'integer', minimum: 0 } },
    { required: ['tag', 'count'] },
  ),
}
