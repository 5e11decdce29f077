import type { WorkerOptions } from '../../queue/internal.ts'
import type { Command, Options } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { durationOf, settingOf, wholeOf, wordOf } from '../program/option-value.ts'
import type { FoundSetting, SettingName } from '../program/setting.ts'
import { typed } from '../program/text.ts'
import { metricsOption, monitorOptions, monitorSettingsOf } from './monitor.ts'
import { indexModes } from './queue.ts'

const dayMs = 86_400_000

const workerOptions = {
  handlers: {
    value: 'FILE',
    isMany: true,
    about: 'a module that exports functions by type',
    completes: 'files',
  },
  exec: {
    value: 'TYPE=COMMAND',
    isMany: true,
    about: 'a command of the shell for tasks of a type',
  },
  'exec-retry-all': { about: 'try every failure of a command again, not only exit code 75' },
  id: { value: 'ID', about: 'a name that no other worker has; made up if left out' },
  shards: { value: 'DIGITS', about: 'which shards to look in, as 0,1,2,3 or 0-7; all if left out' },
  concurrency: { value: 'N', about: 'how many tasks run at once; 10 if left out' },
  lease: {
    value: 'TIME',
    about: 'leases of this length, renewed while tasks run; their timeout if left out',
  },
  'shutdown-deadline': {
    value: 'TIME',
    about: 'how long to wait for running tasks at the end; 30s if left out',
  },
  'index-mode': {
    value: 'MODE',
    about: 'where to look for tasks: index-only, hybrid (the default), log-scan',
    choices: indexModes,
  },
  'ready-page-size': {
    value: 'N',
    about: 'how many index entries to read at a time; 100 if left out',
  },
  'log-scan-page-size': { value: 'N', about: 'how many tasks to scan at a time; 50 if left out' },
  'no-monitor': { about: 'run no monitor beside it' },
  ...monitorOptions,
  metrics: metricsOption,
} as const satisfies Options

/** What options, variables and files say, but for the handlers. */
export async function workerSettingsOf(context: Context): Promise<Omit<WorkerOptions, 'handlers'>> {
  const of = (name: SettingName) => settingOf(context, name)
  const pageSize = { min: 1, max: 1000 }
  const toLease = { min: 1_000, max: 7 * dayMs, hint: '1 second to 7 days' }
  const toEnd = { max: dayMs, hint: 'up to 1 day' }
  const isAlone = await context.isOn('no-monitor')
  const monitor = await monitorSettingsOf(context)
  return {
    id: (await context.setting('id'))?.value,
    shards: shardsOf(context, await context.setting('shards')),
    concurrency: wholeOf(context, await of('concurrency'), { min: 1, max: 10_000 }),
    leaseMs: durationOf(context, await of('lease'), toLease),
    shutdownDeadlineMs: durationOf(context, await of('shutdown-deadline'), toEnd),
    indexMode: wordOf(context, await of('index-mode'), indexModes),
    readyPageSize: wholeOf(context, await of('ready-page-size'), pageSize),
    logScanPageSize: wholeOf(context, await of('log-scan-page-size'), pageSize),
    monitor: isAlone ? false : monitor,
  }
}

const digits = '0123456789abcdef'

/** `0,1,2,3`, `0-7` or both. */
function shardsOf(context: Context, found: FoundSetting | null): string[] | undefined {
  if (found === null) return undefined
  const { value: given, origin } = found
  return given.split(',').flatMap((part) => {
    const [, first, last = first] = /^([0-9a-f])(?:-([0-9a-f]))?$/i.exec(part.trim()) ?? []
    const from = first === undefined ? -1 : digits.indexOf(first.toLowerCase())
    const to = last === undefined ? -1 : digits.indexOf(last.toLowerCase())
    if (from === -1 || to < from)
      throw context.usageError(
        `${origin} takes no "${typed(given)}".`,
        'Give hex digits, as 0,1,2,3 or 0-7.',
      )
    return [...digits.slice(from, to + 1)]
  })
}

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
    const { runWorker } = await import('./worker-run.ts')
    await runWorker(context)
  },
}
