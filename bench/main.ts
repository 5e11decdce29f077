// npm run bench -- store
import { benchStore } from './store/bench.js'

const benchmarks: Readonly<Record<string, () => Promise<void>>> = { store: benchStore }

const name = process.argv[2] ?? ''
const benchmark = benchmarks[name]
if (benchmark) await benchmark()
else {
  console.error(`Usage: npm run bench -- ${Object.keys(benchmarks).join('|')}`)
  process.exitCode = 2
}
