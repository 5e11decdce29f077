import type { Entry, Store } from '../store/internal.ts'
import type { RepairOptions } from './repair.ts'

/** What a model keeps in a store, for whoever copies or inspects stores whole without knowing what is in them. */
export interface Holdings {
  /** The model, as the package exports it: "list". */
  readonly model: string
  /** What its main documents are called, in the plural: "tasks". They lie in the first space. */
  readonly noun: string
  /**
   * The documents: what can't be worked out from anything else. In the order in which they are copied while others
   * write: what grows with a document comes after it, so that a copy has too much of that rather than too little.
   */
  readonly spaces: readonly Space[]
  /** Brings all that follows from the documents to what they say, or with `dryRun` only counts what is not so. */
  repair(store: Store, options?: RepairOptions): Promise<HoldingsReport>
}

/** Some keys below a prefix. */
export interface Space {
  readonly prefix: string
  /** Whether a path below the prefix is meant; all are if it is left out. */
  readonly includes?: ((path: string) => boolean) | undefined
  /** The key of the document that a path is a part of, such as its history; left out where each stands for itself. */
  readonly partOf?: ((path: string) => string) | undefined
  /** Whether another document holds what this one would have to itself, such as an idempotency key. */
  readonly isTaken?:
    | ((store: Store, entry: Omit<Entry, 'revision'>) => Promise<boolean>)
    | undefined
  /** A document with what only the store that it leaves knows of it; null where it is whole as it is. */
  readonly completed?: ((store: Store, entry: Entry) => Promise<Uint8Array | null>) | undefined
  /** Whether they are written once, and then never changed; see `create` of the store. */
  readonly once?: true
}

interface HoldingsReport {
  /** How many index entries, and documents that follow from others, were not as they should be. */
  readonly drift: number
  /** What can't be mended, in a sentence each. */
  readonly left: readonly string[]
}
