import type { Applied } from '../disk.ts'
import type { Scene } from '../model.ts'
import { type PlanEvent, PlanLog, type PlanTask } from './plan-log.ts'
import { type Session, SessionEntries } from './plan-sessions.ts'

const decoder = new TextDecoder()
const read = <T>(value: Uint8Array): T => JSON.parse(decoder.decode(value)) as T

/** What is stored of one session beside its events. */
interface Documents {
  goal: string | null
  readonly tasks: Map<string, string>
  /** Entries of the status index, as status/id. */
  readonly statuses: Set<string>
  /** The number of the last event that the documents contain, as is said. */
  checkpoint: number
}

/** Follows what is written of plans, and judges each write by what the events say. */
export class PlanDocuments {
  readonly sessions: SessionEntries
  readonly logs = new Map<string, PlanLog>()
  readonly #documents = new Map<string, Documents>()
  /** Every event by the command that it names, with the commit that it came with. */
  readonly #byCommand = new Map<string, { event: PlanEvent; commit: number }[]>()
  readonly #mustNotLog = new Set<string>()
  readonly #isAtomic: boolean
  readonly #violated: (what: string) => void
  tick = 0

  constructor({ kind, violated }: Scene) {
    this.#isAtomic = kind.limits.commitWritesMax > 3
    this.#violated = violated
    this.sessions = new SessionEntries(this.#isAtomic, violated)
  }

  log(sid: string): PlanLog {
    const log = this.logs.get(sid) ?? new PlanLog(sid)
    this.logs.set(sid, log)
    return log
  }

  documentsOf(sid: string): Documents {
    const none = { goal: null, tasks: new Map(), statuses: new Set<string>(), checkpoint: 0 }
    const documents = this.#documents.get(sid) ?? none
    this.#documents.set(sid, documents)
    return documents
  }

  eventsOf(cmd: string): readonly PlanEvent[] {
    return (this.#byCommand.get(cmd) ?? []).map(({ event }) => event)
  }

  /** No event may come of this command, now or later. */
  notLogged(cmd: string): void {
    this.#mustNotLog.add(cmd)
    if (this.#byCommand.has(cmd)) this.#violated(`${cmd} was refused, yet it is in the log`)
  }

  applied(writes: readonly Applied[]): void {
    this.tick++
    const touched = new Set<string>()
    for (const write of writes) {
      const [, part, sid = '', ...rest] = write.key.split('/')
      if (part !== 's') this.sessions.noteEntry(write.key, write.value)
      else {
        touched.add(sid)
        this.#noteIn(sid, rest.join('/'), write)
      }
    }
    for (const sid of touched)
      if (this.#isAtomic) this.#checkAll(sid)
      else this.#checkBehind(sid)
    if (this.#isAtomic) this.sessions.check()
  }

  #noteIn(sid: string, path: string, { value, commit }: Applied): void {
    const documents = this.documentsOf(sid)
    const [part, ...rest] = path.split('/')
    if (path === 'meta') this.sessions.noteSession(sid, value && read<Session>(value), this.tick)
    else if (path === 'meta/evt_seq')
      documents.checkpoint = value ? Number(Buffer.from(value).readBigUInt64BE()) : 0
    else if (path === 'goal') documents.goal = value && decoder.decode(value)
    else if (part === 'task') {
      if (value) documents.tasks.set(rest.join('/'), decoder.decode(value))
      else this.#violated(`the task ${path} was removed`)
    } else if (part === 'idx') {
      const entry = rest.slice(1).join('/')
      if (value) documents.statuses.add(entry)
      else documents.statuses.delete(entry)
    } else if (part === 'evt') this.#noteEvent(sid, rest[0] as string, value, commit)
    else this.#violated(`${sid}/${path} belongs to nobody`)
  }

  #noteEvent(sid: string, name: string, value: Uint8Array | null, commit: number): void {
    const log = this.log(sid)
    const seq = Number.parseInt(name, 16)
    const event = value && read<PlanEvent>(value)
    if (event === null) {
      this.#violated(`event ${seq} of ${sid} was removed`)
      return
    }
    const there = log.events[seq - 1]
    if (there) {
      if (JSON.stringify(there) !== JSON.stringify(event))
        this.#violated(`event ${seq} of ${sid} was written over`)
      return
    }
    const wrong = event.seq === seq ? log.append(event, this.tick) : 'has another number'
    if (wrong !== null) this.#violated(`event ${seq} of ${sid} ${wrong}`)
    const same = this.#byCommand.get(event.cmd) ?? []
    this.#byCommand.set(event.cmd, [...same, { event, commit }])
    if (this.#mustNotLog.has(event.cmd))
      this.#violated(`${event.cmd} was refused, and logged later`)
    if (!this.#isAtomic) return
    if (same.some((other) => other.commit !== commit))
      this.#violated(`${event.cmd} came in several commits`)
    if (this.sessions.states.now(sid)?.state === 'archived')
      this.#violated(`event ${seq} came after ${sid} was archived`)
  }

  /** Documents contain at least the events up to the checkpoint, and never anything that no event says. */
  #checkBehind(sid: string): void {
    const [log, { goal, tasks, checkpoint }] = [this.log(sid), this.documentsOf(sid)]
    if (checkpoint > log.events.length)
      this.#violated(`${sid} has ${log.events.length} events, and its evt_seq is ${checkpoint}`)
    const window = { since: log.tickOf(checkpoint), until: this.tick }
    const hasBeen = (text: string | null, states: unknown[]) =>
      states.some((state) => (state === null ? null : JSON.stringify(state)) === text)
    if (!hasBeen(goal, log.goalsDuring(window)))
      this.#violated(`the goal of ${sid} is ${goal}, which no event since ${checkpoint} says`)
    for (const { id } of log.allTasks())
      if (!hasBeen(tasks.get(id) ?? null, log.tasks.during(id, window)))
        this.#violated(`task ${id} is ${tasks.get(id)}, which no event since ${checkpoint} says`)
  }

  /** Documents are what all events say. */
  #checkAll(sid: string): void {
    for (const what of this.differences(sid)) this.#violated(what)
  }

  *differences(sid: string): Generator<string> {
    const [log, { goal, tasks, statuses, checkpoint }] = [this.log(sid), this.documentsOf(sid)]
    const count = log.events.length
    if (checkpoint !== count) yield `${sid} has ${count} events, and its evt_seq is ${checkpoint}`
    if (goal !== (log.goal && JSON.stringify(log.goal))) yield `the goal of ${sid} is ${goal}`
    const all: PlanTask[] = [...log.allTasks()]
    for (const task of all)
      if (tasks.get(task.id) !== JSON.stringify(task))
        yield `task ${task.id} of ${sid} is ${tasks.get(task.id)}, not ${JSON.stringify(task)}`
    if (tasks.size > all.length) yield `${sid} has ${tasks.size} tasks instead of ${all.length}`
    const expected = all.map(({ id, status }) => `${status}/${id}`).sort()
    if ([...statuses].sort().join() !== expected.join())
      yield `the status index of ${sid} is ${[...statuses].sort().join()}, not ${expected.join()}`
    const meta = this.sessions.states.now(sid)
    const late = log.events.find(({ at }) => at > (meta?.last_updated_at ?? ''))
    if (late) yield `${sid} was last updated at ${meta?.last_updated_at}, before event ${late.seq}`
  }
}
