import { type JsonSchema, objectOf } from '../schema.ts'

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
  ListTask: {
    type: 'object',
    // Another program may have added fields; they are kept.
    properties: {
      id: { type: 'string' },
      text: { type: 'string' },
      done: { type: 'boolean' },
      tags: { type: 'array', items: { type: 'string' } },
      created: { type: 'string', format: 'date-time' },
    },
    required: ['id', 'text', 'done', 'tags', 'created'],
  },
  ListTag: objectOf(
    { tag: { type: 'string' }, count: { type: 'integer', minimum: 0 } },
    { required: ['tag', 'count'] },
  ),
}
