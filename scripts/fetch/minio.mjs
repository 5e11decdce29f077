import { say } from '../shell.mjs'
import { goOnPath, installGo } from './go.mjs'
import { once } from './once.mjs'
import { folders, minio, versions } from './paths.mjs'

export const minioTool = {
  isThere: () => minio() !== null,
  needsPython: () => goOnPath() === null,
  async fetch() {
    say('Fetching MinIO as source and compiling it, once: about 4 minutes on two cores.')
    await once(folders.minio, (folder) =>
      installGo(folder, `github.com/minio/minio@${versions.minio}`),
    )
  },
}
