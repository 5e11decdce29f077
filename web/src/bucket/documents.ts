import { ulid } from 'ulid'
import { type Stored, taskDefinition } from '../../../src/queue/document.ts'
import { taskKeyOf } from '../../../src/queue/keys.ts'
import { Failure } from '../source/failure.ts'

/** The queue's own: how a task is written, and which entries of indexes belong to it. */
const { codec, indexes } = taskDefinition

const namespace = 'qo/'

/** The object of a task. */
export const nameOf = (id: string): string => taskKeyOf(id).slice(namespace.length)

const member = /,"_w":"[0-7][0-9A-HJKMNP-TV-Z]{25}"\}\s*$/
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** What is stored without the id of its write. Throws where it can't be a task. */
export function parsed(text: string, id: string): Stored {
  try {
    return codec.decode(encoder.encode(text.replace(member, '}')), id)
  } catch (error) {
    throw new Failure(
      'corrupt',
      `Task ${id} can’t be read: ${error instanceof Error ? error.message : 'unknown error'}.`,
      'Repair it with the tool that wrote it.',
    )
  }
}

export const newWriteId = (): string => ulid()

/** A task as it is stored, with the id of its write as its last member. */
export const written = (stored: Stored, writeId: string): string =>
  `${decoder.decode(codec.encode(stored)).slice(0, -1)},"_w":"${writeId}"}`

/** An entry of an index: the name of its object, and what it says. */
export interface Entry {
  readonly name: string
  readonly value: string
}

export const entriesOf = (id: string, stored: Stored): Entry[] =>
  indexes.flatMap((index) =>
    [...index.marks(id, stored)].map((mark) => {
      const write = mark.fresh?.()
      if (write?.type !== 'create') throw new Error('an entry is made by creating it')
      return { name: nameOfKey(write.key), value: decoder.decode(write.value) }
    }),
  )

/** The queue's own folder is not at the root of the bucket. */
function nameOfKey(key: string): string {
  const path = key.slice(namespace.length)
  const own = 'holdfast/'
  return path.startsWith(own) ? `${own}${namespace}${path.slice(own.length)}!` : path
}

/** An entry as it is stored: the id of its write is its first line. */
export const writtenEntry = ({ value }: Entry, writeId: string): string => `w:${writeId}\n${value}`
