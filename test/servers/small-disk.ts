import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Ends with its input, and so with whoever started it, however that ends; the mount goes with it. */
const holderScript = `mount -t tmpfs -o "size=$1" tmpfs "$2" &&
  head -c "$3" /dev/zero > "$2/ballast" && echo mounted && exec cat > "$2/held"`

interface DiskSize {
  readonly bytes: number
  /** How much of that a file takes that can be removed once the disk is full. */
  readonly ballastBytes: number
}

/**
 * A file system of so many bytes and no more, in a mount namespace of its own; it needs no rights of root. Programs see it where
 * they are started by `command`.
 */
export class SmallDisk implements AsyncDisposable {
  /** Where it lies for those programs. */
  readonly path: string
  readonly #holder: ChildProcess

  private constructor(path: string, { bytes, ballastBytes }: DiskSize) {
    this.path = path
    const script = ['sh', '-c', holderScript, 'sh', String(bytes), path, String(ballastBytes)]
    this.#holder = spawn('unshare', ['--map-root-user', '--mount', ...script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
  }

  static async of(size: DiskSize): Promise<SmallDisk> {
    const disk = new SmallDisk(mkdtempSync(join(tmpdir(), 'holdfast-disk-')), size)
    const stdout = disk.#holder.stdout as NodeJS.ReadableStream
    const isMounted = await Promise.race([
      once(stdout, 'data').then(() => true),
      once(disk.#holder, 'exit').then(() => false),
    ])
    if (isMounted) return disk
    await disk[Symbol.asyncDispose]()
    throw new Error('No small disk: user namespaces with mounts are not allowed here.')
  }

  /** A command line that sees the disk. It becomes the program itself, under the same process id. */
  command(program: readonly string[]): [command: string, ...args: string[]] {
    return ['nsenter', '--user', '--mount', '--target', String(this.#holder.pid), '--', ...program]
  }

  /** Where a file of it lies for everybody. */
  outside(name: string): string {
    return join(`/proc/${this.#holder.pid}/root`, this.path, name)
  }

  /** Makes room. */
  removeBallast(): void {
    rmSync(this.outside('ballast'))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#holder.exitCode === null && this.#holder.signalCode === null) {
      const gone = once(this.#holder, 'exit')
      this.#holder.kill('SIGKILL')
      await gone
    }
    rmSync(this.path, { recursive: true, force: true })
  }
}
