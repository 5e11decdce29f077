// npm run bench -- store [sqlite] [nats] [s3]
// npm run bench -- startup [RUNS]
// npm run bench -- jobs [COMPLETED]
// npm run bench -- http
// npm run bench -- queue [LYING]
// npm run bench -- tree [TASKS]
import { benchHttp } from './http/bench.js'
import { benchJobs } from './jobs.js'
import { benchQueue } from './queue.js'
import { benchStartup } from './startup.js'
import { benchStore } from './store/bench.js'
import { benchTree } from './tree.js'

const benchmarks: Readonly<Record<string, (words: readonly string[]) => Promise<void>>> = {
  store: benchStore,
  startup: benchStartup,
  jobs: benchJobs,
  http: benchHttp,
  queue: benchQueue,
  tree: benchTree,
}

const [name = '', ...words] = process.argv.slice(2)
const benchmark = benchmarks[name]
if (benchmark) await benchmark(words)
else {
  console.error(`Usage: npm run bench -- ${Object.keys(benchmarks).join('|')} [KIND…]`)
  process.exitCode = 2
}
