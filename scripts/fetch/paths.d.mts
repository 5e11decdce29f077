type Start = readonly [command: string, ...args: string[]]

export const newerNode: string
export const natsServer: () => Start | null
export const minio: () => Start | null
export const ministack: () => Start | null
export const schemathesis: () => Start | null
export const chromium: () => Start | null
