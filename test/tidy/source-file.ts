import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'oxc-parser'

/** A file of ours as the tidy rules see it. Paths are relative to the checkout. */
export interface SourceFile {
  readonly path: string
  readonly lineCount: number
  /** What it imports or exports again, as it stands there: './a.ts', 'node:fs', 'holdfast/store'. */
  readonly imports: readonly string[]
  /** The names that it imports or exports again, with where from; `*` is all of them. */
  readonly uses: readonly { readonly specifier: string; readonly name: string }[]
  readonly exports: readonly string[]
  readonly functions: readonly { readonly line: number; readonly lineCount: number }[]
  readonly hasDefaultExport: boolean
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}

export function readSource(path: string): SourceFile {
  const text = readFileSync(path, 'utf8')
  const { program, module, errors } = parseSync(/\.\w+$/.test(path) ? path : `${path}.mjs`, text)
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message}`)
  // What is worked out when the program runs leads to a user's module, and is none of ours.
  const literals = module.dynamicImports
    .map(({ moduleRequest: { start, end } }) => text.slice(start, end))
    .flatMap((request) => (/^['"]/.test(request) ? [request.slice(1, -1)] : []))
  const again = module.staticExports.flatMap(({ entries }) => entries)
  const uses = [
    ...module.staticImports.flatMap(({ moduleRequest, entries }) =>
      entries.map(({ importName }) => ({ specifier: moduleRequest.value, name: importName.name })),
    ),
    ...again.map(({ moduleRequest, importName }) => ({
      specifier: moduleRequest?.value,
      name: importName.name,
    })),
    ...[...literals, ...typesImported(text)].map((specifier) => ({ specifier, name: null })),
  ]
  return {
    path,
    lineCount: text.split('\n').length - 1,
    imports: [
      ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
      ...again.flatMap(({ moduleRequest }) => (moduleRequest ? [moduleRequest.value] : [])),
      ...literals,
    ],
    uses: uses.flatMap(({ specifier, name }) =>
      specifier === undefined ? [] : { specifier, name: name ?? '*' },
    ),
    exports: again.flatMap(({ exportName }) =>
      exportName.kind === 'Name' ? (exportName.name ?? []) : [],
    ),
    functions: functionsIn(program as unknown as Node, text),
    hasDefaultExport: again.some(({ exportName }) => exportName.kind === 'Default'),
  }
}

/** Where from types come that are named in the midst of others, as `import('./a.ts').A`; and what is required. */
const typesImported = (text: string): string[] =>
  [...text.matchAll(/(?:import|require)\('(\.[^']+)'\)/g)].map(([, path]) => path as string)

/** What an import leads to, as a path of the checkout; null for other packages and what they bring. */
export function importedPath(from: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return sourceOf(join(dirname(from), specifier))
  if (specifier.startsWith('#dist/')) return sourceOf(specifier.slice(1))
  return isOwnName(specifier) ? ownExport(specifier) : null
}

/** Whether an import goes round through the package: by its own name, or by what it was compiled to. */
export const isRoundabout = (specifier: string): boolean =>
  // Other packages have a folder of this name, too.
  isOwnName(specifier) ||
  specifier.startsWith('#dist/') ||
  /^(\.{1,2}\/(.*\/)?)?dist\//.test(specifier)

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))

const isOwnName = (specifier: string): boolean =>
  specifier === manifest.name || specifier.startsWith(`${manifest.name}/`)

/** Where an export of the package comes from. One that is not there leads nowhere, and must not. */
function ownExport(specifier: string): string {
  const target = manifest.exports[`.${specifier.slice(manifest.name.length)}`]
  if (target === undefined) throw new Error(`${specifier} is no export of the package`)
  return sourceOf(join(typeof target === 'string' ? target : target.default))
}

/** What is compiled leads back to what it was made from. */
export const sourceOf = (path: string): string =>
  path.replace(/^(?:\.\/)?dist\/(.*?)(?:\.d\.ts|\.c?js)$/, 'src/$1.ts')

function functionsIn(program: Node, text: string) {
  const found: { line: number; lineCount: number }[] = []
  const visit = (value: unknown, parent: Node | null): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, parent)
    if (!isNode(value)) return
    if (/Function/.test(value.type) && !isGroupOfTests(parent))
      found.push({
        line: linesIn(text.slice(0, value.start)),
        lineCount: linesIn(text.slice(value.start, value.end)),
      })
    for (const child of Object.values(value)) visit(child, value)
  }
  visit(program, null)
  return found
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value

const groupings = ['describe', 'onEveryStore']

/** The body of a group is a list of tests, not a function that anyone reads as one. */
const isGroupOfTests = (parent: Node | null): boolean =>
  parent?.type === 'CallExpression' &&
  groupings.includes((parent as Node & { callee: { name?: string } }).callee.name ?? '')

const linesIn = (text: string): number => text.split('\n').length
