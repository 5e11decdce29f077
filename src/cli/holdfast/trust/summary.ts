import { dirname, resolve } from 'node:path'
import { shownUrl } from '../../../store/internal.ts'
import { type Found, projectSettings } from '../../program/config.ts'
import type { Context } from '../../program/context.ts'
import type { OpenedFile } from '../../program/opened-file.ts'
import { oneLine } from '../../program/printable.ts'
import { checkSecrets, keysInNeed } from '../../program/project-trust.ts'
import { type FoundSetting, type SettingName, settingRules } from '../../program/setting.ts'
import { chooseStore } from '../../program/store-choice.ts'
import { isStoreForeign, linkedFileOf } from '../../program/store-place.ts'
import type { FileKind } from '../../program/trust-record.ts'
import { credentialsFor } from './credentials.ts'
import { shownLines, shownText } from './shown-text.ts'

/** What a file says, and what follows from it. */
export interface Summary {
  readonly lines: readonly string[]
  /** The same for a program. */
  readonly data: Readonly<Record<string, unknown>>
}

/** Throws a TrustError for a file that can't be trusted, a UsageError for one that is broken. */
export async function summaryOf(
  context: Context,
  file: OpenedFile,
  kind: FileKind,
): Promise<Summary> {
  const isProject = kind === 'project'
  const found: Found = isProject ? await projectSettings(file) : new Map()
  checkSecrets(found)
  const says = isProject ? settingLines(found) : textLines(file)
  const { lines, data } = isProject ? ofProject(context, file, found) : ofWorkspace(file, kind)
  const link = file.path === file.realPath ? '' : `, a link to ${oneLine(file.realPath)}`
  // What follows comes last, where a long file does not push it out of sight.
  return {
    lines: [
      `${oneLine(file.path)}${link} says:`,
      ...(says.length === 0 ? ['nothing'] : says).map(indented),
      'Once you trust it:',
      ...lines.map(indented),
    ],
    data,
  }
}

const indented = (line: string): string => `  ${line}`

function settingLines(found: Found): string[] {
  const width = Math.max(0, ...[...found.keys()].map(({ length }) => length))
  return [...found].flatMap(([name, { value, values = [value] }]) =>
    values.map(
      (each) => `${name.padEnd(width)}  ${shownText(name === 'store' ? shownUrl(each) : each)}`,
    ),
  )
}

const textLines = ({ bytes }: OpenedFile): string[] =>
  shownLines(Buffer.from(bytes).toString('utf8').trimEnd())

function ofProject(context: Context, file: OpenedFile, found: Found): Summary {
  const { io } = context
  const store = found.get('store')
  const url = store ? chooseStore(store, io).url : null
  const linkedFile = url === null ? null : linkedFileOf(url)
  const credentials = url === null ? null : credentialsFor(url, io)
  const others = keysInNeed(io, file, found).filter((name) => name !== 'store')
  return {
    // Where data goes comes last: a long command must not push it out of sight.
    lines: [
      ...others.map((name) => effectOf(name, found.get(name) as FoundSetting)),
      url === null ? 'Data goes where it went before.' : `Data goes to ${placeOf(url)}.`,
      ...(credentials === null ? [] : [`Credentials go there, too: ${credentials.text}.`]),
    ],
    data: {
      store: url === null ? null : shownUrl(url),
      ...(linkedFile !== null && { file: linkedFile }),
      credentials: credentials?.names ?? [],
      keys: keysInNeed(io, file, found),
      settings: [...found].map(([key, { value, values = [value] }]) => ({
        key,
        values: key === 'store' ? values.map(shownUrl) : values,
      })),
    },
  }
}

/** A link inside the directory may lead out of it. */
function placeOf(url: string): string {
  const linked = linkedFileOf(url)
  const link = linked === null ? '' : `, which is a link to ${oneLine(linked)}`
  const foreign = isStoreForeign(url) ? ', which belongs to another user' : ''
  return `${oneLine(shownUrl(url))}${link}${foreign}`
}

function effectOf(
  name: SettingName,
  { value, values = [value], folder = '' }: FoundSetting,
): string {
  if (name === 'exec')
    return `qo worker runs, in ${oneLine(folder)}: ${values.map(shownText).join('; ')}`
  if (name === 'handlers') {
    const paths = values.map((each) => oneLine(resolve(folder, each)))
    return `qo worker runs the code in ${paths.join(' and ')}, also once that changes.`
  }
  return `${name} takes effect: ${settingRules[name].about}.`
}

/** These settings decide about any store, so there is no place to name. */
function ofWorkspace({ path, bytes }: OpenedFile, kind: FileKind): Summary {
  const workspace = oneLine(dirname(dirname(path)))
  const what =
    kind === 'matchers'
      ? 'It chooses the grimoire of tasks that are claimed'
      : 'It decides when claims are taken back and old tasks deleted'
  return {
    lines: [
      `${what} in every store that you use in ${workspace}.`,
      'No data or credentials go elsewhere.',
    ],
    data: { text: Buffer.from(bytes).toString('utf8') },
  }
}
