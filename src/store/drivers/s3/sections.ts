import { compareKeys, type KeyRange, keyRange } from '../../key.ts'
import type { ListOptions } from '../../store.ts'
import { folderOf, nameOf, ownFolder, rootNamespace } from './names.ts'

/** A stretch of names that follow each other as their keys do. */
export interface Section {
  /** What all its names begin with. */
  readonly folder: string
  /** Names up to this one are outside. */
  readonly after: string
  /** Names from here on are outside; null where the folder's end is the end. */
  readonly until: string | null
  readonly keys: KeyRange
}

/** `0` is the character after `/`: the first text after everything in the folder. */
const beyond = (folder: string): string => `${folder.slice(0, -1)}0`

const root = rootNamespace
const inOwnFolder = `${ownFolder}${root}/`

// The root of the bucket without the folder in its midst that is ours.
const rootSections: readonly Section[] = [
  {
    folder: '',
    after: '',
    until: ownFolder,
    keys: { from: `${root}/`, to: `${root}/${ownFolder}` },
  },
  {
    folder: inOwnFolder,
    after: '',
    until: null,
    keys: { from: `${root}/${ownFolder}`, to: `${root}/${beyond(ownFolder)}` },
  },
  {
    folder: '',
    after: beyond(ownFolder),
    until: null,
    keys: { from: `${root}/${beyond(ownFolder)}`, to: beyond(`${root}/`) },
  },
]

const allSections: readonly Section[] = [
  { folder: ownFolder, after: '', until: inOwnFolder, keys: { from: '', to: `${root}/` } },
  ...rootSections,
  {
    folder: ownFolder,
    after: beyond(inOwnFolder),
    until: null,
    keys: { from: beyond(`${root}/`), to: keyRange('').to },
  },
]

/** The sections in which the keys of a list lie, in order, each begun where the list begins. */
export function sectionsOf(prefix: string, { after, before }: ListOptions): Section[] {
  return baseSections(prefix).flatMap((section) => {
    const { from, to } = section.keys
    if (after !== undefined && compareKeys(after, to) >= 0) return []
    if (before !== undefined && compareKeys(before, from) <= 0) return []
    const begin = after !== undefined && compareKeys(after, from) > 0 ? nameOf(after) : ''
    const begun = {
      ...section,
      after: compareKeys(begin, section.after) > 0 ? begin : section.after,
    }
    return [narrowed(begun, { after, before })]
  })
}

function baseSections(prefix: string): readonly Section[] {
  if (prefix === '') return allSections
  if (prefix === root) return rootSections
  return [{ folder: folderOf(prefix), after: '', until: null, keys: keyRange(prefix) }]
}

/**
 * Names keep the order of keys: what two bounds begin with, all names between them begin with too. So a
 * narrow range, such as all ids that start alike, is asked for as such, wherever in its folder it lies.
 */
function narrowed(section: Section, { after, before }: ListOptions): Section {
  if (after === undefined || before === undefined || section.folder === '') return section
  const folder = commonStart(nameOf(after), nameOf(before))
  return folder.startsWith(section.folder) ? { ...section, folder } : section
}

function commonStart(a: string, b: string): string {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  const start = a.slice(0, length)
  return start.isWellFormed() ? start : start.slice(0, -1)
}
