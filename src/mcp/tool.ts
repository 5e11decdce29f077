import { agentOf, type Caller, type Role } from '../access/index.ts'
import type { Given, Inputs } from '../schema/index.ts'
import type { Store } from '../store/internal.ts'

/** What the tools of one server work with. */
export interface Workplace {
  readonly store: Store
  /** The directory whose plan is meant where a call names none; null where it must. */
  readonly directory: string | null
  /** Who claims, where a call does not say it. */
  readonly agent: string
  /** Whose calls these are; whoever runs this program itself may do everything. */
  readonly caller?: Caller | undefined
  /** Which grimoire a task is worked on with; none are selected if left out. */
  readonly selectGrimoire?: TreeSelector | undefined
  /** Told of everything that calls changed, and of every call that was refused. */
  readonly acted?: ((act: Act) => void) | undefined
  /** Told of each thing that a call has changed, as soon as it has. */
  readonly did?: ((done: Done) => void) | undefined
}

/** One thing that a call changed. */
export interface Done {
  readonly id: string
  /** The parts of it that were changed. */
  readonly ids?: readonly string[]
  /** What was done, where the tool may do several things. */
  readonly change?: string
}

/** What a call changed, or why it did not. */
interface Act extends Partial<Done> {
  /** The name of the tool. */
  readonly action: string
  /** In whose name. */
  readonly agent: string
  /** Why it was not done; null where it was. */
  readonly code: string | null
  /** Whether that is our failure, or the store's. */
  readonly isFailure: boolean
}

type TreeSelector = NonNullable<
  ConstructorParameters<typeof import('../tree/internal.ts').TaskTree>[1]
>['selectGrimoire']

/** Something that an agent can ask for, as a table entry. */
export interface Tool {
  readonly name: string
  readonly title: string
  /** What it does and when to use it: all that an agent knows about it. */
  readonly description: string
  readonly input: Inputs
  /** What a caller must at least have: `read` where it changes nothing. */
  readonly role: Role
  /** Answers with what the agent needs next, and nothing more. */
  readonly run: (workplace: Workplace, given: never) => Promise<object>
}

/** A tool with the type of what it is given; the schema has checked that before. */
export const tool = <const I extends Inputs>(
  entry: Omit<Tool, 'run' | 'input'> & {
    input: I
    run: (workplace: Workplace, given: Given<I>) => Promise<object>
  },
): Tool => entry

/** Who acts, where a call may say it: of a named token only one of its own agents. */
export const actingAs = ({ caller, agent }: Workplace, given: string | undefined): string =>
  given === undefined || !caller ? (given ?? agent) : agentOf(caller, given)
