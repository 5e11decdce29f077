import { join } from 'node:path'
import { defineConfig } from 'vite'
import { bareRows } from './bare-rows.ts'

const rules = join(import.meta.dirname, '../src/')

export default defineConfig({
  root: import.meta.dirname,
  // A bucket serves the page from below its root, a server from its own: all paths are relative.
  base: './',
  plugins: [bareRows()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // Nothing inline: the page's policy forbids it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: 'LICENSES.txt' },
    // The rules of the queue come from where Node is at hand; what they need of it must not be left in the page. Importing
    // them does nothing, as package.json says, too.
    rolldownOptions: {
      external: /^node:/,
      treeshake: {
        moduleSideEffects: (id, isExternal) => !isExternal && !id.startsWith(rules),
      },
    },
  },
  logLevel: 'warn',
})
