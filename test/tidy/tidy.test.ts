import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import { importedPath, isRoundabout, readSource, type SourceFile, sourceOf } from './source-file.ts'

const fileLinesMax = 300
const functionLinesMax = 70

/** Each layer may import itself and those to its left in this order; models do not import each other. */
const layers: readonly (readonly string[])[] = [
  ['random', 'schema'],
  ['store'],
  ['collection'],
  ['list', 'plan', 'jobs', 'tree', 'queue', 'access'],
  ['failure', 'inventory', 'terminal'],
  ['http', 'mcp', 'client'],
  ['tui'],
  ['cli'],
]

/** Files that a tool loads by their name, and that therefore nothing imports. */
const configs = [
  'vitest.config.ts',
  'test/servers/global-setup.ts',
  'test/environment.ts',
  'test/orphan.ts',
  'test/times.ts',
  'scripts/fetch/paths.d.mts',
  'scripts/release/dependencies.d.mts',
  'scripts/test-times.d.mts',
  'web/vite.config.ts',
  // Named by web/index.html.
  'web/src/main.tsx',
]

/** Types that no file imports, but that the declarations name which are made from others. */
const named = [
  'src/collection/error-table.ts Row',
  'src/collection/error-table.ts RefusalClass',
  'src/http/route.ts Field',
  'src/schema/output.ts Shape',
  'src/tree/shapes.ts InVersion',
]

const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
const files = tracked
  .split('\n')
  .filter((path) => /\.(ts|tsx|mts|mjs|js)$/.test(path) || /^bin\/[^.]+$/.test(path))
  // Git still names a file that was deleted and not committed yet.
  .filter((path) => existsSync(path))
  .map(readSource)
const byPath = new Map(files.map((file) => [file.path, file]))

const layerOf = (path: string): string | undefined => /^src\/([^/]+)\//.exec(path)?.[1]
const rankOf = (layer: string): number => layers.findIndex((names) => names.includes(layer))

function assertNone(findings: readonly string[]): void {
  assert.deepEqual(findings, [])
}

describe('tidy', () => {
  test('there are files to check', () => assert.ok(files.length > 30))

  test('every folder of src is a known layer', () => {
    const folders = new Set(files.flatMap(({ path }) => layerOf(path) ?? []))
    assertNone([...folders].filter((layer) => rankOf(layer) === -1))
  })

  test('imports go one way, and into another layer only through its internal.ts, or index.ts where it has none', () => {
    assertNone(files.flatMap(crossings))
  })

  test('whatever only internal.ts exports, another layer uses', () => {
    const unused = files
      .filter(({ path }) => /^src\/[^/]+\/internal\.ts$/.test(path))
      .flatMap(({ path }) => namesIn(path).filter((name) => !isUsedElsewhere(path, name)))
    assertNone(unused)
  })

  test('what a file exports, another imports, but for what users and tools do', () => {
    const used = new Set([
      ...named,
      ...files.flatMap(({ path, uses }) =>
        uses.map(({ specifier, name }) => `${sourceAt(path, specifier)} ${name}`),
      ),
    ])
    const known = [...entries(), ...configs]
    assertNone(
      files
        .filter(({ path }) => !known.includes(path) && !/^examples\/|\.d\.mts$/.test(path))
        .filter(({ path }) => !used.has(`${path} *`))
        .flatMap(({ path, exports }) =>
          exports
            .filter((name) => !used.has(`${path} ${name}`))
            .map((name) => `${path} exports ${name}`),
        ),
    )
  })

  test('src imports itself by relative paths alone, not as the package that it becomes', () => {
    const findings = files.flatMap(({ path, imports }) =>
      imports.filter(isRoundabout).map((specifier) => `${path} imports ${specifier}`),
    )
    assertNone(findings.filter((finding) => finding.startsWith('src/')))
    assert.ok(findings.length > 0, 'tests and programs do import the package')
  })

  test(`no file is longer than ${fileLinesMax} lines`, () => {
    assertNone(
      files
        .filter(({ lineCount }) => lineCount > fileLinesMax)
        .map(({ path, lineCount }) => `${path}: ${lineCount}`),
    )
  })

  test(`no function is longer than ${functionLinesMax} lines`, () => {
    assertNone(
      files.flatMap(({ path, functions }) =>
        functions
          .filter(({ lineCount }) => lineCount > functionLinesMax)
          .map(({ line, lineCount }) => `${path}:${line}: ${lineCount} lines`),
      ),
    )
  })

  test('no file has a default export', () => {
    assertNone(
      files
        .filter(({ path, hasDefaultExport }) => hasDefaultExport && !configs.includes(path))
        .map(({ path }) => path),
    )
  })

  test('every file is reached from the package, its programs, its scripts or its tests', () => {
    const reached = new Set<string>()
    const visit = (path: string): void => {
      if (reached.has(path) || !byPath.has(path)) return
      reached.add(path)
      for (const next of leadsTo(byPath.get(path)!)) visit(next)
    }
    for (const path of roots()) visit(path)
    assertNone(files.map(({ path }) => path).filter((path) => !reached.has(path)))
  })

  test('every dependency is used, and every import of a package is a dependency', () => {
    const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
    const page = JSON.parse(readFileSync('web/package.json', 'utf8'))
    const used = new Set(files.flatMap(({ imports }) => imports.map(packageOf)))
    const known = new Set([
      ...Object.keys(manifest.dependencies),
      ...Object.keys(manifest.optionalDependencies),
      ...Object.keys(manifest.devDependencies),
      ...Object.keys(page.devDependencies),
    ])
    assertNone([...used].filter((name) => name !== null && !known.has(name)) as string[])
    // What draws the screens is taken into them, but for the one package of it that brings no licence to go with it.
    const ink = JSON.parse(readFileSync('node_modules/ink/package.json', 'utf8'))
    const { 'yoga-layout': layout, ...own } = manifest.dependencies
    assert.equal(layout, ink.dependencies['yoga-layout'])
    assertNone(Object.keys(own).filter((name) => !used.has(name)))
  })

  test('what is published imports no package that is only here, but for what is taken into the screens', () => {
    const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
    const isOnlyHere = (name: string | null) =>
      name !== null && Object.hasOwn(devDependencies, name) && !/opentelemetry/.test(name)
    const findings = files
      .filter(({ path }) => path.startsWith('src/'))
      .flatMap(({ path, imports }) =>
        imports
          .map((each) => ({ path, name: packageOf(each) }))
          .filter((each) => isOnlyHere(each.name)),
      )
    assertNone(findings.filter(({ path }) => !path.startsWith('src/tui/')).map(({ path }) => path))
    assert.deepEqual([...new Set(findings.map(({ name }) => name))].sort(), ['ink', 'react'])
  })
})

function crossings({ path, imports }: SourceFile): string[] {
  const from = layerOf(path)
  if (from === undefined) return []
  return imports.flatMap((specifier) => {
    const target = importedPath(path, specifier)
    const to = target === null ? undefined : layerOf(target)
    if (to === undefined || to === from) return []
    const isDown = rankOf(to) < rankOf(from)
    const isEntry = target === entryOf(to) || (from === 'client' && target === tableOf(to))
    return isDown && isEntry ? [] : [`${path} imports ${target}`]
  })
}

/** Where other layers come in: users come in by `index.ts`, and see less. */
const entryOf = (layer: string): string =>
  byPath.has(`src/${layer}/internal.ts`) ? `src/${layer}/internal.ts` : `src/${layer}/index.ts`

/** The client runs in browsers, so of a model it takes the table alone, which imports nothing of Node. */
const tableOf = (layer: string): string => `src/${layer}/operations.ts`

/** The names that a file passes on one by one. */
const namesIn = (path: string): string[] =>
  [...readFileSync(path, 'utf8').matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list]) =>
    (list as string).split(',').flatMap((each) => each.trim().replace('type ', '') || []),
  )

const isUsedElsewhere = (internal: string, name: string): boolean =>
  files.some(
    ({ path, imports }) =>
      path.startsWith('src/') &&
      layerOf(path) !== layerOf(internal) &&
      (imports.some((specifier) => importedPath(path, specifier) === internal) ||
        /\blibrary\(\)/.test(readFileSync(path, 'utf8'))) &&
      new RegExp(`\\b${name}\\b`).test(readFileSync(path, 'utf8')),
  )

/** What users of the package import. */
function entries(): string[] {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8'))
  return Object.values(exports).flatMap((target) =>
    typeof target === 'string' ? [] : [sourceOf((target as { default: string }).default)],
  )
}

/** The source that an import leads to: some name what it is compiled to. */
function sourceAt(path: string, specifier: string): string | null {
  const target = importedPath(path, specifier)
  return target === null || byPath.has(target) ? target : target.replace(/\.js$/, '.ts')
}

/** Where a reader can come in: the package's exports and programs, its examples, its scripts, its tests. */
function roots(): string[] {
  const { bin, scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const run = Object.values<string>(scripts).flatMap(
    (script) => script.match(/[\w./-]+\.m?js/g) ?? [],
  )
  const tests = files.map(({ path }) => path).filter((path) => path.endsWith('.test.ts'))
  const processes = files
    .map(({ path }) => path)
    .filter((path) => /^(test\/processes|examples)\//.test(path))
  const scriptSources = run.map((path) => path.replace(/^\.tools\/(.*)\.js$/, '$1.ts'))
  return [
    ...entries(),
    ...Object.values<string>(bin),
    ...scriptSources,
    ...tests,
    ...processes,
    ...configs,
  ]
}

/** What a file imports or starts, as paths of sources. */
function leadsTo({ path, imports }: SourceFile): string[] {
  const text = readFileSync(path, 'utf8')
  const started = [...text.matchAll(/'\.\/([\w-]+)\.js', import\.meta\.url/g)].map(
    ([, name]) => `${path.slice(0, path.lastIndexOf('/'))}/${name}.ts`,
  )
  const required = [...text.matchAll(/require\('(\.[^']+)'\)/g)].map(([, path]) => path as string)
  return [...[...imports, ...required].flatMap((each) => sourceAt(path, each) ?? []), ...started]
}

function packageOf(specifier: string): string | null {
  if (/^(\.|node:|#|holdfast\/)/.test(specifier)) return null
  const parts = specifier.split('/')
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] as string)
}
