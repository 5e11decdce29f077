import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Files of an authority made for one test, and of the server and the client that it vouches for. */
export interface Certificates {
  readonly authority: string
  readonly server: { readonly certificate: string; readonly key: string }
  readonly client: { readonly certificate: string; readonly key: string }
}

export async function makeCertificates(folder: string): Promise<Certificates> {
  const path = (name: string) => join(folder, name)
  const openssl = (...args: string[]) => run('openssl', args)
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const authority = path('authority.pem')
  const authorityKey = path('authority.key')
  await openssl(
    ...['req', '-x509', ...newKey, '-days', '2', '-subj', '/CN=Holdfast test authority'],
    ...['-keyout', authorityKey, '-out', authority],
  )
  const names = path('names')
  await writeFile(names, 'subjectAltName=IP:127.0.0.1,DNS:localhost\n')
  const vouchFor = async (name: string) => {
    const pair = { certificate: path(`${name}.pem`), key: path(`${name}.key`) }
    const request = path(`${name}.csr`)
    await openssl('req', ...newKey, '-subj', `/CN=${name}`, '-keyout', pair.key, '-out', request)
    await openssl(
      ...['x509', '-req', '-days', '2', '-in', request, '-out', pair.certificate],
      ...['-CA', authority, '-CAkey', authorityKey, '-CAcreateserial', '-extfile', names],
    )
    return pair
  }
  // One after the other: both would write the authority's file of serial numbers.
  const server = await vouchFor('server')
  return { authority, server, client: await vouchFor('client') }
}
