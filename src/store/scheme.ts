import type { StoreError } from './error.ts'
import type { Check } from './examination.ts'
import type { SiteOptions, SiteReport } from './publish.ts'
import type { Store } from './store.ts'

/** How to open a store. */
export interface OpenOptions {
  /** Whether to make a store where there is none; with false a missing store is refused. */
  readonly create?: boolean
}

/** Which parts of an address may be shown. What is not named here is hidden, for it may be a secret. */
export interface ShownAddress {
  /** What may follow the host; without it, nothing but a slash may. */
  readonly folder?: RegExp
  /** Parameters that only tell how the store is used, and what their values look like then. */
  readonly harmless: Readonly<Record<string, RegExp>>
  /** Parameters that hold addresses, each of which may hold a password in turn. */
  readonly addresses: readonly string[]
  /** Parameters whose names may be shown, but not their values. */
  readonly secrets: readonly string[]
}

/** What a driver says of its URLs. It is loaded with every program, so the driver itself is loaded by `open` alone. */
export interface Scheme {
  /** The forms of its URLs, for messages and help. */
  readonly forms: readonly string[]
  /** What follows the colon is the path of a file or a name, or an address. */
  readonly shown: 'path' | ShownAddress
  /** Who else can open the same store: other programs of this machine, or of others. */
  readonly sharedBy: 'process' | 'machine' | 'network'
  /** `rest` is what follows the colon; of a file, its path. */
  open(rest: string, options: OpenOptions): Promise<Store>
  /** The file that holds the store, or why that can't be one. */
  fileOf?(rest: string): { readonly path: string } | { readonly flaw: string }
  /** Whether a command that adds something would make a store that was found missing. */
  isBegunByAdding(rest: string, error: StoreError): boolean
  /** The same URL for a store that must keep the former states of each key. */
  keepingVersions?(url: string): string
  /** Who but its owner can read the file. To be asked before the store is opened. */
  permissionCheck?(path: string): Promise<Check>
  /** Looks at all that a queue needs of the store; the usual checks if left out. */
  examine?(url: string, options: { readonly origin: string }): AsyncGenerator<Check>
  /** Puts files for browsers next to what is stored. */
  publishSite?(url: string, options: SiteOptions): Promise<SiteReport>
}
