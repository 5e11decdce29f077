import { readFileSync } from 'node:fs'
import { parseSync } from 'oxc-parser'
import { importedPath, sourceOf } from './source-file.ts'

/** A name that the package offers, and where it is declared. */
interface Exported {
  readonly name: string
  readonly path: string
}

/** As much of a syntax tree as is looked at here. */
interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

interface Source {
  readonly text: string
  readonly declarations: ReadonlyMap<string, Declared>
  /** Names that come from elsewhere, by the name under which they are exported. */
  readonly passedOn: ReadonlyMap<string, { readonly from: string; readonly name: string }>
  /** Names that it uses from elsewhere. */
  readonly imported: Source['passedOn']
  /** Where doc comments end. */
  readonly comments: ReadonlyMap<number, string>
}

interface Declared {
  readonly node: Node
  /** Where the whole statement begins, `export` included. */
  readonly start: number
}

const sources = new Map<string, Source>()

/** Every name of every entry point of the package, with the file that declares it. */
export function exportedNames(): Exported[] {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8'))
  const entries = Object.values<string | { default: string }>(exports).flatMap((target) =>
    typeof target === 'string' ? [] : [sourceOf(target.default)],
  )
  const found = new Map<string, Exported>()
  for (const entry of entries) {
    const { declarations, passedOn } = sourceAt(entry)
    for (const name of [...passedOn.keys(), ...declarations.keys()]) {
      const { path, name: own } = declaredAt(entry, name)
      if (isExported(path, own)) found.set(`${path} ${own}`, { path, name: own })
    }
  }
  return [...found.values()]
}

/** What a reader of the generated declarations would find without a word: names, and public members of them. */
export function undocumented({ path, name }: Exported): string[] {
  const source = sourceAt(path)
  const { start } = source.declarations.get(name) as Declared
  const missing = commentBefore(source, start) === null ? [name] : []
  const members = [...membersIn(path, name)].flatMap(([member, hasWords]) =>
    hasWords ? [] : [`${name}.${member}`],
  )
  return [...missing, ...members].map((each) => `${path}: ${each}`)
}

/** All members, also inherited ones, and whether they have words: what is told once holds for all that inherit it. */
function membersIn(path: string, name: string): Map<string, boolean> {
  const source = sourceAt(path)
  const declared = source.declarations.get(name)
  const found = new Map<string, boolean>()
  if (!declared) return found
  const note = (member: string, hasWords: boolean) =>
    found.set(member, hasWords || found.get(member) === true)
  for (const member of membersOf(declared.node))
    note(memberName(source, member), commentBefore(source, member.start) !== null)
  for (const parent of parentsOf(declared.node)) {
    const imported = source.imported.get(parent)
    const at = imported && importedPath(path, imported.from)
    if (imported && !at) continue
    const from = at ? declaredAt(at, imported.name) : { path, name: parent }
    for (const [member, hasWords] of membersIn(from.path, from.name)) note(member, hasWords)
  }
  return found
}

/** The names that a class or an interface extends or implements. */
function parentsOf(node: Node): string[] {
  const named = (each: unknown) => (each as { name?: string } | null)?.name ?? ''
  const clauses = ['extends', 'implements'].flatMap((field) => (node[field] as Node[]) ?? [])
  const parents = [node['superClass'], ...clauses.map(({ expression }) => expression)]
  return parents.map(named).filter((name) => name !== '')
}

/** The doc comment that stands right before a place. */
function commentBefore({ text, comments }: Source, start: number): string | null {
  const end = text.slice(0, start).trimEnd().length
  return comments.get(end) ?? null
}

function sourceAt(path: string): Source {
  const known = sources.get(path) ?? readSource(path)
  sources.set(path, known)
  return known
}

function readSource(path: string): Source {
  const text = readFileSync(path, 'utf8')
  const { program, module, comments } = parseSync(path, text)
  const body = program.body as unknown as Node[]
  const declarations = body.flatMap((statement) => {
    const inner = (statement['declaration'] ?? statement) as Node
    return namesOf(inner).map((name) => [name, { node: inner, start: statement.start }] as const)
  })
  const entries = module.staticExports.flatMap((each) => each.entries)
  const passedOn = entries.flatMap(({ moduleRequest, importName, exportName }) =>
    moduleRequest
      ? [[exportName.name, { from: moduleRequest.value, name: importName.name }] as const]
      : [],
  )
  const imported = module.staticImports.flatMap(({ moduleRequest, entries: names }) =>
    names.map(
      ({ importName, localName }) =>
        [localName.value, { from: moduleRequest.value, name: importName.name ?? '' }] as const,
    ),
  )
  const docs = comments.filter(({ type, value }) => type === 'Block' && /^\*[^*]/.test(value))
  return {
    text,
    // The first of several is the one with the comment: an overload, or an interface beside its class.
    declarations: new Map(declarations.reverse()),
    passedOn: new Map(passedOn) as Source['passedOn'],
    imported: new Map(imported),
    comments: new Map(docs.map(({ end, value }) => [end, value])),
  }
}

function declaredAt(path: string, name: string): Exported {
  const passed = sourceAt(path).passedOn.get(name)
  if (!passed) return { path, name }
  return declaredAt(importedPath(path, passed.from) as string, passed.name)
}

function isExported(path: string, name: string): boolean {
  const { declarations, text } = sourceAt(path)
  const declared = declarations.get(name)
  if (!declared) throw new Error(`${path} does not declare ${name}`)
  return text.startsWith('export', declared.start)
}

function namesOf(declaration: Node): string[] {
  const named = (node: unknown) => (node as { name?: string } | null)?.name ?? ''
  if (declaration.type === 'VariableDeclaration')
    return (declaration['declarations'] as Node[]).map(({ id }) => named(id))
  return 'id' in declaration ? [named(declaration['id'])] : []
}

const membered: Readonly<Record<string, (node: Node) => Node[]>> = {
  ClassDeclaration: (node) => (node['body'] as { body: Node[] }).body.filter(isPublic),
  TSInterfaceDeclaration: (node) => (node['body'] as { body: Node[] }).body,
}

const membersOf = (node: Node): Node[] => (membered[node.type]?.(node) ?? []).filter(needsWords)

/** A class's own secrets are nobody's business; what it overrides is told where it is declared first. */
function isPublic(member: Node): boolean {
  const key = member['key'] as Node | undefined
  const accessibility = member['accessibility']
  return (
    key?.type !== 'PrivateIdentifier' &&
    member['kind'] !== 'constructor' &&
    accessibility !== 'private' &&
    accessibility !== 'protected' &&
    !member['override'] &&
    member.type !== 'StaticBlock'
  )
}

/** What the language itself gives a meaning to, such as `Symbol.asyncDispose`, and what has no name, needs no words. */
const needsWords = (member: Node): boolean =>
  !member['computed'] && member.type !== 'TSIndexSignature'

function memberName({ text }: Source, member: Node): string {
  const key = member['key'] as Node | undefined
  return key ? text.slice(key.start, key.end) : '()'
}
