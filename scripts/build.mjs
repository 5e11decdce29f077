// Compiles src/ into dist/, which is what is published, with the programs bundled and the page, and the programs that
// tests and benchmarks start as processes of their own into .tools/. Does nothing where both are up to date.
import { rmSync } from 'node:fs'
import { bundlePrograms, bundleScreens, bundleTestProcesses } from './bundle.mjs'
import { root, run, say } from './shell.mjs'
import { fingerprint, isFresh, markFresh } from './stamp.mjs'

const outputs = [
  {
    project: 'tsconfig.build.json',
    folder: 'dist',
    sources: ['src', 'scripts/bundle.mjs', 'web'],
    bundle: (compiled) =>
      Promise.all([
        bundlePrograms('dist/cli'),
        run(process.execPath, [root('node_modules/vite/bin/vite.js'), 'build', 'web']),
        compiled.then(() => bundleScreens('dist/tui')),
      ]),
  },
  // Compiled against dist, through the package's own exports, as a user would be; the simulator with the sources.
  {
    project: 'tsconfig.tools.json',
    folder: '.tools',
    sources: ['src', 'scripts/bundle.mjs', 'bench', 'test/processes', 'test/sim'],
    bundle: (compiled) => compiled.then(() => bundleTestProcesses('.tools/test/processes')),
  },
]
const settings = ['package.json', 'package-lock.json', 'tsconfig.json']

export async function build() {
  for (const { project, folder, sources, bundle } of outputs) {
    const wanted = fingerprint([...settings, project, ...sources])
    if (isFresh(`${folder}/.stamp`, wanted)) continue
    say(`Building ${folder}/.`)
    rmSync(root(folder), { recursive: true, force: true })
    await bundle(run(process.execPath, [root('node_modules/typescript/bin/tsc'), '-p', project]))
    markFresh(`${folder}/.stamp`, wanted)
  }
}

if (process.argv[1] === import.meta.filename) await build()
