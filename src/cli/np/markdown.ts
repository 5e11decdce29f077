import {
  glyphs,
  type Plan,
  type PlanEvent,
  type PlanTask,
  type Session,
} from '../../plan/internal.ts'
import { joinedLines } from '../../terminal/index.ts'
import { happening, inSeconds } from './text.ts'

/** A plan and its log as a document of Markdown, which holds their texts as they are: it is no terminal. */
export function markdownOf({ session, goal, tasks }: Plan, log: readonly PlanEvent[]): string[] {
  return [
    `# ${goal ? escaped(joinedLines(goal.title)) : 'No goal set yet'}`,
    '',
    ...(goal?.description ? ['- Description:', ...blockOf(goal.description), ''] : []),
    ...sessionItems(session),
    '',
    '## Tasks',
    '',
    ...(tasks.length === 0 ? ['None yet.'] : tasks.flatMap(taskItem)),
    '',
    '## Log',
    '',
    ...(log.length === 0 ? ['Nothing happened yet.'] : log.flatMap(eventItem)),
  ]
}

const sessionItems = ({ sid, dir_path, state, created_at, last_updated_at }: Session): string[] => [
  `- Session: ${sid}, ${state}`,
  `- Directory: ${escaped(joinedLines(dir_path))}`,
  `- Started: ${inSeconds(created_at)}`,
  `- Last change: ${inSeconds(last_updated_at)}`,
]

const taskItem = ({ id, title, description, status }: PlanTask): string[] => [
  `- ${glyphs[status]} ${escaped(joinedLines(title))} (${id}, ${status.replace('_', ' ')})`,
  ...blockOf(description),
]

function eventItem(event: PlanEvent): string[] {
  const { seq, at, type, reason } = event
  return [
    `- ${seq}, ${inSeconds(at)}: ${type.replaceAll('_', ' ')}: ${escaped(happening(event, joinedLines))}`,
    ...(reason ? paragraph(`Reason: ${reason}`) : []),
    ...formerDescription(event),
  ]
}

/** What a description was before it was changed stands nowhere else. */
function formerDescription({ type, payload }: PlanEvent): string[] {
  if (type !== 'goal_updated' && type !== 'task_updated') return []
  const before = type === 'goal_updated' ? payload.goal_before : payload.before
  const after = type === 'goal_updated' ? payload.goal_after : payload.after
  if (before.description === after.description || !before.description) return []
  return [...paragraph('Description before:'), ...blockOf(before.description)]
}

/** As far as what belongs to an item of a list stands to the right of its dash. */
const indent = '  '

/**
 * A description below its item. Agents write Markdown, so it stays as it was typed; indented it is a part of the item,
 * which ends whatever it leaves open, such as a code block.
 */
function blockOf(description: string): string[] {
  if (description === '') return []
  return ['', ...description.split('\n').map((line) => (line === '' ? '' : indent + line))]
}

/** A text below its item. Its lines stay lines, and show what was typed. */
function paragraph(text: string): string[] {
  const lines = text
    .split('\n')
    .map((line) => line.trimEnd())
    .map((line) => (line === '' ? '' : indent + escapedLine(line)))
  const isBroken = (at: number) => lines[at] !== '' && (lines[at + 1] ?? '') !== ''
  return ['', ...lines.map((line, at) => (isBroken(at) ? `${line}\\` : line))]
}

/** White space at the start of a line would make it code; where it stands now it only shows. */
const escapedLine = (line: string): string => {
  const space = /^[ \t]*/.exec(line)?.[0] as string
  const shown = space.replaceAll('\t', '    ').replaceAll(' ', '&nbsp;')
  return shown + escaped(line.slice(space.length))
}

/** Text that means nothing to Markdown, at the start of a line or anywhere in it. */
const escaped = (text: string): string =>
  text
    .replaceAll(/[\\`*[\]<>~]/g, '\\$&')
    .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replaceAll(/&(?=#?\w+;)/g, '&amp;')
    .replace(/^[#+=|:-]/, '\\$&')
    .replace(/ (#+)$/, ' \\$1')
    .replace(/^(\d{1,9})([.)])/, '$1\\$2')
