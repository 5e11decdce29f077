import { field, flag, listOf, name, text, time } from '../schema/index.ts'

/** What a task of the list is, field by field; other programs may add more, which are kept. */
export const taskFields = {
  id: field(
    name,
    'A SHA-512 in hex; the first digits that no other task has are enough to name it.',
  ),
  text: field(text, 'What is to be done.', { setBy: 'editor' }),
  done: field(flag, 'Whether it is done.', { setBy: 'editor', absent: false }),
  tags: field(
    listOf(text),
    'Words to find it by, each once, in the order in which they were given.',
    { setBy: 'editor', absent: [] },
  ),
  created: field(
    time((value) => typeof value === 'string' && !Number.isNaN(Date.parse(value))),
    'RFC 3339, UTC, with milliseconds.',
  ),
}
