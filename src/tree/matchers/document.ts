import {
  type Document,
  isMap,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type YAMLParseError,
} from 'yaml'
import type { Matcher, Rule } from './choice.ts'
import { type Field, FieldReader, isNothing, offsetOf, shownText } from './fields.ts'
import type { Finding } from './finding.ts'
import { readMatcher } from './matcher.ts'
import { Report } from './report.ts'
import { fileBytesMax } from './source.ts'

const tooDeep = 'The file is nested too deeply.'

/** Every one of them is tried for every task. */
const matchersMax = 1_000

/** What a file says. */
export interface ParsedMatchers {
  /** In order, also those that are skipped; null where the file as a whole can't be used. */
  readonly rules: readonly Rule[] | null
  /** What is wrong in the file, in order. */
  readonly findings: readonly Finding[]
}

/** Never throws: what is wrong is among the findings. */
export function parseDocumentText(text: string): ParsedMatchers {
  const lines = new LineCounter()
  const report = new Report(lines)
  // In bytes no text has fewer than characters; what is too long is not even looked at.
  if (text.length > fileBytesMax || Buffer.byteLength(text) > fileBytesMax) {
    lines.addNewLine(0)
    report.error(0, `The file has more than ${fileBytesMax} bytes.`)
    return { rules: null, findings: report.findings }
  }
  return { rules: rulesIn(text, lines, report), findings: report.findings }
}

function rulesIn(text: string, lines: LineCounter, report: Report): readonly Rule[] | null {
  const document = composed(text, lines, report)
  if (document === null) return null
  const { contents } = document
  if (isNothing(contents)) {
    report.warn(0, 'The file holds no matchers.')
    return []
  }
  const start = offsetOf(contents, 0)
  if (!isMap(contents)) {
    report.error(start, "The file must be a map with the list 'matchers'.")
    return null
  }
  const reader = new FieldReader(report)
  let list: Field | undefined
  const wrong = report.errorIn(() => {
    list = reader.fieldsOf(contents, ['matchers'], { of: 'the file' }).get('matchers')
    if (list === undefined) report.error(start, "The file has no list 'matchers'.")
  })
  return wrong !== null || list === undefined ? null : rulesOf(list, reader)
}

function rulesOf({ value, offset }: Field, reader: FieldReader): readonly Rule[] | null {
  const items = isNothing(value) ? [] : isSeq(value) ? value.items : null
  if (items === null) reader.report.error(offset, 'matchers must be a list.')
  else if (items.length > matchersMax)
    reader.report.error(offset, `There are more than ${matchersMax} matchers.`)
  else {
    if (items.length === 0) reader.report.warn(offset, 'The list of matchers is empty.')
    return checkedRules(items, offset, reader)
  }
  return null
}

/** The document, or null where it is no YAML that is taken. Its values are never built: that is what bombs wait for. */
function composed(text: string, lines: LineCounter, report: Report): Document.Parsed | null {
  try {
    // Messages with excerpts take quadratic time where all is wrong. Whether keys are unique is checked where it matters.
    const options = {
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: false,
      logLevel: 'error',
    }
    const document = parseDocument(text, options as Parameters<typeof parseDocument>[1])
    for (const error of document.errors) report.error(error.pos[0], wordsOf(error))
    for (const { pos, message } of document.warnings) report.warn(pos[0], `${message}.`)
    let hasAlias = false
    visit(document, {
      Alias(_, alias) {
        if (!hasAlias) report.error(offsetOf(alias, 0), 'Aliases are not taken. Write it out.')
        hasAlias = true
        return visit.BREAK
      },
    })
    return document.errors.length > 0 || hasAlias ? null : document
  } catch (error) {
    // Thousands of brackets within each other exhaust the stack of the parser.
    if (!(error instanceof RangeError)) throw error
    report.error(0, tooDeep)
    return null
  }
}

const wordsOf = ({ code, message }: YAMLParseError): string => {
  if (message.includes('call stack')) return tooDeep
  if (code === 'MULTIPLE_DOCS') return 'The file holds several documents.'
  // Without what the parser quotes from the file.
  return `No YAML: ${message.replace(/(?<=\w): .*$/s, '').slice(0, messageCharactersMax)}.`
}

const messageCharactersMax = 100

function checkedRules(items: readonly unknown[], start: number, reader: FieldReader): Rule[] {
  const { report } = reader
  const names = new Set<string>()
  let catchAll: Matcher | null = null
  return items.map((item, index) => {
    const offset = offsetOf(item, start)
    const rule = readMatcher(item, { offset, ordinal: index + 1, reader })
    const name = shownText(rule.name)
    if (names.has(rule.name)) report.warn(offset, `Two matchers have the name ${name}.`)
    names.add(rule.name)
    if (catchAll !== null)
      report.warn(
        offset,
        `matcher ${name} will never be reached because ${shownText(catchAll.name)} matches everything.`,
      )
    else if (!('skipped' in rule) && rule.grimoire !== null && rule.conditions.length === 0)
      catchAll = rule
    return rule
  })
}
