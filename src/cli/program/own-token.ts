import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { refusal } from '../../collection/index.ts'
import type { Options } from './command.ts'
import type { Context } from './context.ts'
import { type FoundSetting, rankOf } from './setting.ts'

/** The options that give a server a token of its own. */
export const tokenOptions = {
  token: { value: 'TOKEN', about: "the server's own token, which allows everything" },
  'token-file': {
    value: 'FILE',
    about: 'a file that holds it, which nobody else can read; read once, at the start',
    completes: 'files',
  },
} as const satisfies Options

/** Others can read the file of a secret, or have made it. */
export class UnsafeFileError extends refusal('UnsafeFileError', 'no_store') {}

const fileBytesMax = 4_096

/** The server's own token; null where there is none. Of a token and a file, what was said closer to the command counts. */
export async function ownTokenOf(context: Context, variable: string): Promise<string | null> {
  const token = await context.setting('token', [variable])
  const file = await context.setting('token-file', [`${variable}_FILE`])
  checkVariables(context, [variable, `${variable}_FILE`], [token, file])
  if (token === null && file === null) return null
  if (rankOf(token) === rankOf(file))
    throw context.usageError(
      `The token is given twice: by ${token?.origin} and by ${file?.origin}.`,
      'Give one of them.',
    )
  const given = rankOf(token) < rankOf(file) ? token?.value : await inFile(context, file)
  // What a header can't carry could never be brought.
  if (given !== undefined && /^[\x21-\x7e]+$/.test(given)) return given
  throw context.usageError(
    'The token is empty, or has characters other than plain ASCII.',
    'Give another.',
  )
}

/**
 * A variable that is set and empty, such as by a command that failed, means a token and gives none: nobody may take that for
 * a server that was to need none.
 */
function checkVariables(
  context: Context,
  variables: readonly string[],
  found: readonly (FoundSetting | null)[],
): void {
  if (found.some((each) => each?.source === 'flag')) return
  const empty = variables.find((name) => context.io.env[name]?.trim() === '')
  if (empty === undefined) return
  throw context.usageError(`${empty} is empty.`, 'Set it, or unset it.')
}

async function inFile(context: Context, found: FoundSetting | null): Promise<string> {
  const { value, folder = context.io.cwd() } = found as FoundSetting
  const { open } = await import('node:fs/promises')
  const { resolve } = await import('node:path')
  const path = resolve(folder, value)
  try {
    // Without waiting for the writer of a pipe.
    await using handle = disposable(await open(path, constants.O_RDONLY | constants.O_NONBLOCK))
    return await contentOf(handle.file, path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw context.usageError(`${path} can't be read: ${message}.`, 'Name another file.')
  }
}

/** Checked on the open file: what is read is what was checked, whatever the path names by then. */
async function contentOf(file: FileHandle, path: string): Promise<string> {
  const { mode, uid, size } = await file.stat()
  const isFile = (mode & constants.S_IFMT) === constants.S_IFREG
  if (!isFile || size > fileBytesMax)
    throw new UnsafeFileError(
      `${path} is ${isFile ? `larger than ${fileBytesMax} bytes` : 'no file'}.`,
      'Name a file that holds the token and nothing else.',
    )
  const own = process.getuid?.()
  if (own !== undefined && uid !== own && uid !== 0)
    throw new UnsafeFileError(`${path} belongs to another user.`, 'Make a file of your own.')
  if (own !== undefined && (mode & 0o077) !== 0)
    throw new UnsafeFileError(
      `${path} can be read or changed by other users of this machine.`,
      'Allow it to yourself alone (chmod 600), and choose another token.',
    )
  const bytes = Buffer.alloc(fileBytesMax)
  const { bytesRead } = await file.read(bytes, 0, fileBytesMax, 0)
  return bytes.toString('latin1', 0, bytesRead).replace(/\r?\n$/, '')
}

const disposable = (file: FileHandle) => ({
  file,
  [Symbol.asyncDispose]: () => file.close(),
})
