/** A line that a person types, and what they see then; null where the page does not show it. */
export interface Step {
  readonly command: string
  readonly shown: string | null
}

/** `console` shows commands behind a `$`, and what they print; `sh` is commands alone, with words behind a `#`. */
export function stepsOf(language: string, code: string): Step[] {
  if (language === 'console')
    return code
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const [command = '', ...shown] = step.split('\n')
        return { command, shown: shown.join('\n').trimEnd() || null }
      })
  return code
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((command) => ({ command, shown: idIn(commentOf(command)) ? commentOf(command) : null }))
}

/** What stands behind the `#`. Only where it names an id is it what the command prints. */
const commentOf = (line: string): string => /\s# +(.*)$/.exec(line)?.[1] ?? ''

/** UUIDs and their starts, hashes and their starts, ULIDs. */
const ids =
  /\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){1,3}(?:-[0-9a-f]{12})?|(?=[a-f]*\d)[0-9a-f]{4,5}|[0-9a-f]{6,128}|[0-9A-HJKMNP-TV-Z]{26})\b/g

const idIn = (text: string): boolean => (text.match(ids) ?? []).some((id) => id.length > 5)

/** What differs from run to run and from machine to machine; columns are as wide as what is in them. */
const plain = (text: string): string =>
  text
    .replaceAll(/(localhost|127\.0\.0\.1):\d+/g, 'ADDRESS')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\b\d\d:\d\d:\d\d\b/g, 'TIME')
    .replaceAll(/\b\d+\.\d+\.\d+(?!\.)\b/g, 'VERSION')
    .replaceAll(/node:sqlite|better-sqlite3/g, 'ENGINE')
    .replaceAll(/\b[\w.-]+-\d+-[0-9a-f]{6}\b/g, 'WORKER')
    .replaceAll(/\b\d+ ms\b/g, 'TIME ms')
    .replaceAll(/\b[0-9a-f]+\.\.\.[0-9a-f]{4}\b/g, 'ID')
    .replaceAll(ids, 'ID')
    .replaceAll(/[─ ]+/g, ' ')
    .replaceAll(/ $/gm, '')
    .trim()

/** Whether something was printed as the page shows it. A `…` stands for anything; alone on a line, for any lines. */
export function isShown(shown: string, printed: string): boolean {
  const pattern = plain(shown)
    .split('\n')
    .map((line) => (line.trim() === '…' ? '(?:.*\\n)*?.*' : escaped(line).replaceAll('…', '.*?')))
    .join('\n')
  return new RegExp(`^${pattern}$`).test(plain(printed))
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** What stands in a page for the ids of this run. */
export class Ids {
  readonly #real = new Map<string, string>()

  /** Takes ids in the order in which page and program name them. */
  learn(shown: string, printed: string): void {
    const [inPage, real] = [shown.match(ids) ?? [], printed.match(ids) ?? []]
    if (inPage.length !== real.length) return
    for (const [at, id] of inPage.entries()) this.#real.set(id, real[at] as string)
  }

  /** A command with the ids of this run. UUIDs stand there whole, for those of one run begin alike. */
  inCommand(command: string): string {
    return command.replaceAll(ids, (id) => {
      const [, real] = [...this.#real].find(([known]) => known.startsWith(id)) ?? []
      if (real === undefined) return id
      return real.includes('-') ? real : real.slice(0, id.length)
    })
  }
}
