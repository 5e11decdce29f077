import { isAsked, isConfirmed } from '../../program/confirmation.ts'
import type { Context } from '../../program/context.ts'
import { openSettings } from '../../program/opened-file.ts'
import { oneLine } from '../../program/printable.ts'
import { sha256Of, type TrustedFile, TrustRecord } from '../../program/trust-record.ts'
import { summaryOf } from './summary.ts'
import { recordedPaths, targetOf } from './target.ts'

/** Trusts a file as it was shown, whatever becomes of it meanwhile. */
export async function trustFile(context: Context): Promise<void> {
  const { file, kind } = targetOf(context)
  const record = new TrustRecord(context.io)
  const { lines, data } = await summaryOf(context, file, kind)
  const answer = {
    kind: 'trust',
    data: { path: file.realPath, kind, sha256: sha256Of(file), trusted: true, ...data },
  }
  if (record.trustIn(file, kind) === 'trusted') {
    const line = `Already trusted: ${oneLine(file.realPath)}`
    context.out.confirm({ ...answer, changed: false, lines: [line] })
    return
  }
  const isShown = await isAsked(context)
  const asked = async () => ({ lines, question: 'Trust it?', declined: 'Not trusted.' })
  if (!(await isConfirmed(context, asked))) return
  const { path, sha256 } = answer.data
  await record.add({ path, kind, sha256, trusted_at: new Date().toISOString() })
  const line = `Trusted: ${oneLine(path)}`
  context.out.confirm({ ...answer, lines: [...(isShown ? [] : lines), line] })
}

export async function revokeTrust(context: Context): Promise<void> {
  const record = new TrustRecord(context.io)
  const paths = recordedPaths(context, record.files())
  const isRevoked = await record.remove(paths)
  context.out.confirm({
    kind: 'trust',
    data: { path: paths[0], trusted: false },
    lines: paths.map(
      (path) => `${isRevoked ? 'No longer trusted' : 'Not trusted'}: ${oneLine(path)}`,
    ),
    ...(!isRevoked && { changed: false }),
  })
}

export async function listTrusted(context: Context): Promise<void> {
  const { args, io, out } = context
  if (args.words.length > 0) throw context.usageError('--list takes no FILE.')
  const record = new TrustRecord(io)
  const data = record.files().map((file) => ({ ...file, state: stateOf(file) }))
  const lines = data.map(({ path, state }) => `${state.padEnd(7)}  ${oneLine(path)}`)
  out.answer({ kind: 'trust.list', data, lines })
  if (data.length === 0 && !out.isJson)
    out.note('No file is trusted. Trust one with: holdfast trust FILE')
}

/** What has become of a trusted file. */
function stateOf({ path, sha256 }: TrustedFile): 'trusted' | 'changed' | 'missing' {
  const opened = openSettings(path)
  if (opened.kind === 'absent') return 'missing'
  const isSame = opened.kind === 'read' && opened.file.realPath === path
  return isSame && sha256Of(opened.file) === sha256 ? 'trusted' : 'changed'
}
