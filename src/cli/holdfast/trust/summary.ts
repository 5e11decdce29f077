import { dirname, resolve } from 'node:path'
import { shownUrl } from '../../../store/internal.ts'
import { oneLine, printable } from '../../../terminal/index.ts'
import { type FoundSettings, projectSettings } from '../../program/config.ts'
import type { Context } from '../../program/context.ts'
import type { Io } from '../../program/io.ts'
import type { OpenedFile } from '../../program/opened-file.ts'
import { type FoundSetting, type SettingName, settingRules } from '../../program/setting.ts'
import { chooseStore, isStoreForeign, linkedFileOf } from '../../program/store-choice.ts'
import { checkSecrets, type FileKind, keysInNeed } from '../../program/trust.ts'

/** What a file says, and what follows from it. */
interface TrustSummary {
  readonly lines: readonly string[]
  /** The same for a program. */
  readonly data: Readonly<Record<string, unknown>>
}

/** Throws a TrustError for a file that can't be trusted, a UsageError for one that is broken. */
export async function summaryOf(
  context: Context,
  file: OpenedFile,
  kind: FileKind,
): Promise<TrustSummary> {
  const isProject = kind === 'project'
  const found: FoundSettings = isProject ? await projectSettings(file) : new Map()
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

function settingLines(found: FoundSettings): string[] {
  const width = Math.max(0, ...[...found.keys()].map(({ length }) => length))
  return [...found].flatMap(([name, { value, values = [value] }]) =>
    values.map(
      (each) => `${name.padEnd(width)}  ${shownText(name === 'store' ? shownUrl(each) : each)}`,
    ),
  )
}

const textLines = ({ bytes }: OpenedFile): string[] =>
  shownLines(Buffer.from(bytes).toString('utf8').trimEnd())

function ofProject(context: Context, file: OpenedFile, found: FoundSettings): TrustSummary {
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
      url === null ? 'Data goes where it went before.' : `Data goes to ${shownLocation(url)}.`,
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
function shownLocation(url: string): string {
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
function ofWorkspace({ path, bytes }: OpenedFile, kind: FileKind): TrustSummary {
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

const awsKeys = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']

/** The variables by which programs sign in to a kind of store. */
const credentialVariables: Readonly<Record<string, readonly string[]>> = {
  nats: [
    ...['NATS_USER', 'NATS_PASSWORD', 'NATS_TOKEN', 'NATS_NKEY'],
    ...['NATS_CREDS', 'NATS_CERT', 'NATS_KEY'],
  ],
  s3: [
    ...[...awsKeys, 'AWS_SESSION_TOKEN', 'AWS_PROFILE'],
    ...['AWS_ROLE_ARN', 'AWS_WEB_IDENTITY_TOKEN_FILE'],
    ...['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI', 'AWS_CONTAINER_CREDENTIALS_FULL_URI'],
  ],
}

/** The credentials that a store would be given: which ones, never what they are. Null where it takes none. */
function credentialsFor(
  url: string,
  { env }: Io,
): { readonly names: readonly string[]; readonly text: string } | null {
  const kind = url.slice(0, url.indexOf(':'))
  const known = Object.hasOwn(credentialVariables, kind) ? credentialVariables[kind] : undefined
  if (!known) return null
  const names = known.filter((name) => env[name])
  // Without a whole pair of keys, those of a profile or role are looked for.
  const isEnough = kind !== 's3' || awsKeys.every((name) => env[name])
  if (names.length > 0 && isEnough) return { names, text: names.join(', ') }
  const otherwise =
    kind === 's3'
      ? 'those of your AWS profile or role'
      : 'those of your environment; none are set now'
  return { names, text: [names.join(', '), otherwise].filter(Boolean).join(' and ') }
}

/** As many blanks as a person still sees as a gap. */
const blanksMax = 8
const blanks = new RegExp(String.raw`[\p{Zs}\u2800]{${blanksMax + 1},}`, 'gu')

/**
 * A text of a file in one line, before a person trusts it. A line break in a command is as good as a semicolon, so it is
 * shown by its number; a long run of blanks, which could push the rest out of sight, by its length.
 */
const shownText = (text: string): string =>
  printable(text).replace(blanks, (run) => ` (${run.length} blanks) `)

/** The lines of a file, without long runs of empty ones. */
function shownLines(text: string): string[] {
  const lines: string[] = []
  let emptyLines = 0
  for (const line of text.split('\n').map(shownText)) {
    if (line.trim() === '') emptyLines++
    else {
      lines.push(...emptyLinesShown(emptyLines), line)
      emptyLines = 0
    }
  }
  return lines
}

const emptyLinesShown = (emptyLines: number): string[] =>
  emptyLines > blanksMax ? [`(${emptyLines} empty lines)`] : Array<string>(emptyLines).fill('')
