// Puts the programs into a few files each, for a program that starts anew for every command spends most of
// its time on finding and reading modules. What stays apart is loaded when it is needed: a driver, a model.
//
// As CommonJS, which Node starts faster: of a built-in module it makes no copy of every export, so that
// `node:fs` does not bring all of its streams.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { root } from './shell.mjs'

/**
 * What every run needs: one file for all programs, with the helpers that older Nodes need for `using`. Trust is for the few
 * that read a settings file of a project, and loads Node's cryptography.
 */
const core =
  /\/src\/(cli\/program\/(?!trust\.)[^/]+|cli\/start|store\/[^/]+|terminal\/[^/]+|collection\/(refusal|error-table))\.ts$|@oxc-project[+/]runtime/

const manifest = JSON.parse(readFileSync(root('package.json'), 'utf8'))
const packages = Object.keys({
  ...manifest.dependencies,
  ...manifest.optionalDependencies,
  ...manifest.peerDependencies,
})

export async function bundlePrograms(folder) {
  // Only now, for on a fresh machine it is installed just before.
  const { rolldown } = await import('rolldown')
  const names = Object.keys(manifest.bin)
  const bundle = await rolldown({
    cwd: root(),
    input: Object.fromEntries(names.map((name) => [name, `src/cli/${name}.ts`])),
    platform: 'node',
    plugins: [{ name: 'outside', resolveId: (id, _, { kind }) => outside(id, kind) }],
    transform: { target: 'es2023' },
    preserveEntrySignatures: 'allow-extension',
    // The same module may be core of one run and needed later in another.
    checks: { ineffectiveDynamicImport: false },
  })
  const { output } = await bundle.write({
    dir: root(folder),
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: 'core', test: core }],
    },
  })
  await bundle.close()
  writeFileSync(root(folder, 'LICENSES.txt'), licensesOf(output))
}

/**
 * Puts the screens into one file, with the packages that draw them: who installs Holdfast is spared some forty packages,
 * which only the monitor of a plan needs. As modules, which is what they are made of.
 */
export async function bundleScreens(folder) {
  const { rolldown } = await import('rolldown')
  const bundle = await rolldown({
    cwd: root(),
    input: `${folder}/index.js`,
    platform: 'node',
    // Ink's own tools lead to a package that it does not bring.
    external: (id) => /^\.\.\/plan\/|\/devtools\.js$/.test(id) || packages.includes(id),
    transform: {
      target: 'es2023',
      define: { 'process.env.NODE_ENV': '"production"' },
    },
  })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
  await bundle.close()
  const [{ code }] = output
  for (const name of readdirSync(root(folder))) if (/\.js$/.test(name)) rmSync(root(folder, name))
  writeFileSync(root(folder, 'index.js'), code)
  writeFileSync(root(folder, 'LICENSES.txt'), licensesOf(output))
}

/**
 * Puts the programs that tests start into a few files, with all that they load: of the processor time of one that is
 * killed soon, most would go into finding and reading some two hundred modules. They are as they were compiled, on the
 * package's own exports; only what draws screens, which is a bundle already, stays as it is.
 */
export async function bundleTestProcesses(folder) {
  const { rolldown } = await import('rolldown')
  const files = readdirSync(root(folder)).filter(
    (name) => !readFileSync(root(folder, name), 'utf8').includes('#dist/tui'),
  )
  const bundle = await rolldown({
    cwd: root(),
    input: {
      ...Object.fromEntries(files.map((name) => [name.replace('.js', ''), `./${folder}/${name}`])),
      // A worker of the queue looks for it beside itself.
      'lease-thread': './dist/queue/worker/lease-thread.js',
    },
    platform: 'node',
    // Whatever the package says of itself, what a test program imports is there for what it does.
    treeshake: { moduleSideEffects: () => true },
    external: Object.keys({ ...manifest.optionalDependencies, ...manifest.peerDependencies }),
    transform: { target: 'es2023' },
    checks: { ineffectiveDynamicImport: false },
  })
  await bundle.write({
    dir: root(folder),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  })
  await bundle.close()
}

/** Whose code was taken in, and under what licence, as these licences ask for. */
function licensesOf(output) {
  const modules = output.flatMap(({ moduleIds = [] }) => moduleIds)
  const taken = modules.flatMap(
    (id) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? [],
  )
  const texts = [...new Set(taken)].map((name) => {
    const file = readdirSync(root('node_modules', name)).find((each) => /^licen[cs]e/i.test(each))
    if (file === undefined) throw new Error(`${name} is taken into the bundle without a licence`)
    return `${name}\n\n${readFileSync(root('node_modules', name, file), 'utf8')}`
  })
  return texts.join('\n\n')
}

/** What stays outside of the bundle: packages, and the screens, whose packages CommonJS can't hold. */
function outside(id, kind) {
  if (/\/tui\/index\.ts$/.test(id)) return { id: '../tui/index.js', external: true }
  const name = packages.find((each) => id === each || id.startsWith(`${each}/`))
  if (name === undefined) return null
  // A module that only ES modules may import statically is taken in; importing it later is no trouble.
  return kind === 'dynamic-import' || isRequirable(name) ? { id, external: true } : null
}

function isRequirable(name) {
  const { type, exports = {} } = JSON.parse(
    readFileSync(root('node_modules', name, 'package.json'), 'utf8'),
  )
  return type !== 'module' || JSON.stringify(exports).includes('"require"')
}
