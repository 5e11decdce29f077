import { type ChildProcess, fork } from 'node:child_process'
import type { Choice } from './choice.ts'
import type { Part, Told } from './part.ts'
import { real } from './real.ts'

/** A part that takes longer hangs: something never yields. */
const partMsMax = 300_000

/** Performs parts in processes of their own; a run is the same in each of them. */
export class Workers {
  readonly #idle: ChildProcess[]
  readonly #all: readonly ChildProcess[]

  constructor(program: string, args: readonly string[], { jobs }: Choice) {
    this.#all = Array.from({ length: jobs }, () => fork(program, ['--part', ...args]))
    this.#idle = [...this.#all]
  }

  /** In order, several at a time. */
  async *perform(parts: Iterator<Part>): AsyncGenerator<Told> {
    const underWay: Promise<Told>[] = []
    const begin = () => {
      while (this.#idle.length > 0) {
        const { value: part, done } = parts.next()
        if (done) return
        const told = this.#send(this.#idle.pop() as ChildProcess, part)
        // Whoever takes it in its turn hears of a failure.
        told.then(begin, () => {})
        underWay.push(told)
      }
    }
    begin()
    for (let told = underWay.shift(); told; told = underWay.shift()) {
      yield await told
      begin()
    }
  }

  stop(): void {
    for (const worker of this.#all) worker.kill('SIGKILL')
  }

  #send(worker: ChildProcess, part: Part): Promise<Told> {
    return new Promise((resolve, reject) => {
      const about = `runs ${part.from} to ${part.to}`
      const timer = real.setTimeout(() => {
        worker.kill('SIGKILL')
        reject(new Error(`${about} hang: nothing was heard of them for ${partMsMax / 1000} s.`))
      }, partMsMax)
      const ended = (code: number | null) => {
        real.clearTimeout(timer)
        reject(new Error(`The process of ${about} ended with ${code}.`))
      }
      worker.once('exit', ended)
      worker.once('message', (told) => {
        real.clearTimeout(timer)
        worker.off('exit', ended)
        this.#idle.push(worker)
        resolve(told as Told)
      })
      worker.send(part)
    })
  }
}
