import type { Outcome, Setting } from './terminal.ts'

/** Someone who works in a directory, and in those below it. */
interface Worker {
  readonly directory: string
  in(path: string): Worker
  run(args: readonly string[], setting?: Setting): Promise<Outcome>
}

/** What differs from run to run: a name for what it is, numbered where several things have it, and its form. */
export interface Mask {
  readonly name: string
  readonly form: RegExp
  readonly isNumbered?: true
}

/** Runs commands one after another, and writes down what an agent would see, with ids and times masked. */
export class Transcript {
  readonly #program: string
  readonly #worker: Worker
  readonly #masks: readonly Mask[]
  readonly #names = new Map<string, string>()
  #text = ''

  constructor(program: string, worker: Worker, masks: readonly Mask[]) {
    this.#program = program
    this.#worker = worker
    this.#masks = masks
  }

  get text(): string {
    return this.#text
  }

  /** What a name of the transcript stands for. */
  real(name: string): string {
    return [...this.#names].find(([, mask]) => mask === name)?.[0] ?? name
  }

  /** Runs a command line, in which names of the transcript stand for what they mask. */
  async run(
    line: string,
    { at = '.', ...setting }: Setting & { at?: string } = {},
  ): Promise<Outcome> {
    const args = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) =>
      this.real(word.replace(/^"(.*)"$/, '$1')),
    )
    const outcome = await this.#worker.in(at).run(args, { stdin: '', ...setting })
    const prompt = at === '.' ? '$' : `${at}$`
    const errors = outcome.stderr === '' ? '' : `! ${outcome.stderr}`
    const exit = outcome.exit === 0 ? '' : `exit ${outcome.exit}\n`
    const said = this.#masked(outcome.stdout + errors)
    this.#text += `${prompt} ${this.#program} ${line}\n${said}${exit}\n`
    return outcome
  }

  #masked(text: string): string {
    const here = text.replaceAll(this.#worker.directory, 'DIR')
    return this.#masks.reduce(
      (rest, { name, form, isNumbered }) =>
        rest.replaceAll(form, (found) => (isNumbered ? this.#named(name, found) : name)),
      here,
    )
  }

  #named(kind: string, found: string): string {
    const known = this.#names.get(found)
    if (known) return known
    const count = [...this.#names.values()].filter((name) => name.startsWith(kind)).length
    const name = `${kind}-${count + 1}`
    this.#names.set(found, name)
    return name
  }
}
