import type { Program } from './program/command.ts'
import { completion } from './program/completion.ts'
import { doctor } from './qo/doctor.ts'
import { list, stats } from './qo/list.ts'
import { monitor } from './qo/monitor.ts'
import { environmentStore } from './qo/queue.ts'
import { history, status } from './qo/status.ts'
import { submit } from './qo/submit.ts'
import { tail } from './qo/tail.ts'
import { ui } from './qo/ui.ts'
import { taskVerbs } from './qo/verbs.ts'
import { worker } from './qo/worker.ts'
import { workers } from './qo/workers.ts'
import { start as startProgram } from './start.ts'

export const qo: Program = {
  name: 'qo',
  about: 'a queue of tasks for workers on any number of machines; a bucket is enough.',
  commands: [
    ...[submit, status, history, list, stats, tail],
    ...taskVerbs,
    ...[worker, workers, monitor, doctor, ui, completion],
  ],
  starter: 'qo submit',
  environmentStore,
  examples: [
    'qo submit --type send_email --input \'{"to": "user@example.com"}\'',
    "qo worker --exec send_email='python3 send.py'",
    'qo list --status failed',
    'S3_BUCKET=task-queue S3_ENDPOINT=http://localhost:9000 qo doctor',
  ],
}

export const start = (): Promise<void> => startProgram(qo)
