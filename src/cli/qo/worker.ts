import type { Command } from '../program/command.ts'
import { workerOptions } from './worker/settings.ts'

export const worker: Command = {
  name: 'worker',
  about: 'run tasks',
  details:
    'It runs tasks of the types that it has handlers for, until SIGTERM or Ctrl-C; then it waits for what runs, and gives back what takes too long. A second signal ends it at once. A command gets the input as JSON on stdin; exit code 0 completes the task with what it printed, 75 has it tried again, any other fails it. QO_INDEX_MODE, QO_READY_PAGE_SIZE, QO_LOG_SCAN_PAGE_SIZE, QO_NO_MONITOR and the QO_MONITOR_ variables stand in for options that are left out, and so do keys of the settings files with the names of the options.',
  options: workerOptions,
  examples: [
    'qo worker --handlers handlers.js',
    "qo worker --exec send_email='python3 send.py' --concurrency 4 --lease 30s",
    'qo worker --handlers handlers.js --shards 0-7 --no-monitor --metrics 9100 --json',
  ],
  creates: true,
  async run(context) {
    const { runWorker } = await import('./worker/run.ts')
    await runWorker(context)
  },
}
