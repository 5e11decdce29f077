/** A file of a site: where it lies below its folder, and what it holds. */
export interface SiteFile {
  /** Its path below the site. */
  readonly path: string
  /** What it holds. */
  readonly body: Uint8Array
  /** Whether its name changes with its content, so that it is written once and kept forever. */
  readonly isHashed: boolean
}

/** Whether a setting of the bucket was made, was there, may not be made, or differs from what is wanted. */
export type Setting = 'set' | 'there' | 'refused' | 'unsupported' | 'other'

/** What was published, and what was set up for it. */
export interface SiteReport {
  /** Where a browser finds its first page. */
  readonly url: string
  /** The bucket it lies in. */
  readonly bucket: string
  /** Whether the address has the bucket in its path: then every bucket of the endpoint has the same origin as the page. */
  readonly isPathStyle: boolean
  /** How many files were written. */
  readonly written: number
  /** How many were there already. */
  readonly kept: number
  /** What became of the bucket's CORS rules. */
  readonly cors: Setting
  /** Null where it was not asked for. */
  readonly policy: Setting | null
}

export interface SiteOptions {
  readonly folder: string
  /** In the order in which they are written: what refers to others comes last. */
  readonly files: readonly SiteFile[]
  /** Whether everybody may read the files, and only those. */
  readonly isPublic: boolean
}
