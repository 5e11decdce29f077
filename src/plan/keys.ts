/** Where everything lies. Numbers in keys have 16 hex digits, so that keys sort as they do. */
export const sessionsPrefix = 'np/s'
export const directoriesPrefix = 'np/dir'
export const indexPrefix = 'np/idx'
export const metaPrefix = 'np/meta'
export const schemaVersionKey = `${metaPrefix}/schema_version`

export const activeKey = (dirHash: string): string => `np/dir/${dirHash}/active`

/** The keys of one session. */
export const keysOf = (sid: string) =>
  ({
    meta: `np/s/${sid}/meta`,
    lastSeq: `np/s/${sid}/meta/evt_seq`,
    goal: `np/s/${sid}/goal`,
    tasks: `np/s/${sid}/task`,
    task: (id: string) => `np/s/${sid}/task/${id}`,
    byStatus: `np/s/${sid}/idx/status`,
    status: (status: string, id: string) => `np/s/${sid}/idx/status/${status}/${id}`,
    events: `np/s/${sid}/evt`,
  }) as const

/** Whose key it is, of those below {@link sessionsPrefix}. */
export const sidOf = (key: string): string => key.split('/', 3)[2] as string

/** A time as Unix nanoseconds in 16 hex digits. */
export const timeKey = (time: string): string =>
  (BigInt(Date.parse(time)) * 1_000_000n).toString(16).padStart(16, '0')
