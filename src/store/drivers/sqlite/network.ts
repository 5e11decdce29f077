import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreError } from '../../error.ts'

/** The numbers by which Linux names the file systems that reach over a network (`statfs`). */
const networkTypes: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x73757245, 'Coda'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
])

type TypeReader = (path: string) => number

/** The type of the file system that a file is on, through links, or will be on once it is made. */
const typeOf: TypeReader = (path) => {
  try {
    return statfsSync(path).type >>> 0
  } catch (error) {
    const above = dirname(path)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === path) throw error
    return typeOf(above)
  }
}

/**
 * SQLite's write-ahead log lives in memory that processes share, and its locks must be real: neither
 * holds between two machines, and the store would be damaged in silence.
 */
export function refuseNetworkFilesystem(path: string, readType: TypeReader = typeOf): void {
  const name = process.platform === 'linux' && networkTypes.get(readType(path))
  if (!name) return
  throw new StoreError(
    'network_filesystem',
    `${path} lies on a network file system (${name}), where SQLite may lose data. Nothing was written.`,
    'Keep the file on a local disk; to share tasks between machines use nats:// or s3://.',
  )
}
