import { ulid } from 'ulid'
import { type Stored, taskDefinition } from '../../../src/queue/document.ts'
import { Failure } from '../source/failure.ts'

/** The queue's own: how a task is written, and which entries of indexes belong to it. */
const { codec, indexes } = taskDefinition(false)

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
      `What lies under task ${id} can’t be read as a task: ${error instanceof Error ? error.message : 'unknown'}.`,
      'Put it right with the tool that wrote it.',
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

const namespace = 'qo/'

export const entriesOf = (id: string, stored: Stored): Entry[] =>
  indexes.flatMap((index) =>
    [...index.marks(id, stored)].map((mark) => {
      const write = mark.fresh?.()
      if (write?.type !== 'create') throw new Error('an entry is made by creating it')
      return { name: write.key.slice(namespace.length), value: decoder.decode(write.value) }
    }),
  )

/** An entry as it is stored: the id of its write is its first line. */
export const writtenEntry = ({ value }: Entry, writeId: string): string => `w:${writeId}\n${value}`
