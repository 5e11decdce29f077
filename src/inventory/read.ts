import { checkKey, compareKeys, valueBytesMax } from '../store/internal.ts'
import { BadExportError } from './error.ts'
import {
  formatName,
  formatVersion,
  type Header,
  newHash,
  type Parcel,
  parcelIn,
  type Trailer,
} from './format.ts'
import { type Line, linesOf } from './lines.ts'
import { type Place, placeOf } from './models.ts'

/** A document of an export, and where it belongs. */
export interface Delivery extends Parcel {
  readonly place: Place
}

/** What an export says of itself. */
export interface Contents extends Pick<Header, 'store' | 'exported_at'> {
  readonly documents: number
  readonly models: Readonly<Record<string, number>>
}

const another = 'Export again, and give the whole file.'
const ours = 'Give a file that "holdfast export" wrote.'

/**
 * The documents of an export, one after another; answers at the end with what it holds. Throws a
 * {@link BadExportError} for whatever is not as an export is: only who comes to the end knows that all of it is there.
 */
export async function* deliveriesIn(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Delivery, Contents> {
  const hash = newHash()
  const counts: Record<string, number> = {}
  let header: Header | null = null
  let trailer: Trailer | null = null
  let last: Delivery | null = null
  let documents = 0
  for await (const line of linesOf(chunks)) {
    const parsed = parsedOf(line)
    if (header === null) header = headerOf(parsed)
    else if (trailer !== null) throw new BadExportError('Something follows the end.', ours)
    else if ('end' in parsed) {
      trailer = trailerOf(parsed, { documents, counts, sha256: hash.copy().digest('hex') })
    } else {
      last = deliveryOf(parsed, line, last)
      counts[last.place.model] = (counts[last.place.model] ?? 0) + 1
      documents++
      yield last
    }
    hash.update(line.bytes).update('\n')
  }
  if (header === null) throw new BadExportError('The export is empty.', ours)
  if (trailer === null)
    throw new BadExportError(`The export is cut off after ${documents} documents.`, another)
  const { store, exported_at } = header
  return { store, exported_at, documents, models: counts }
}

/** Reads an export to its end. */
export async function checkedExport(chunks: AsyncIterable<Uint8Array>): Promise<Contents> {
  const deliveries = deliveriesIn(chunks)
  for (;;) {
    const { done, value } = await deliveries.next()
    if (done) return value
  }
}

function parsedOf({ number, bytes, isEnded }: Line): object {
  // Whatever the rest of it says, such a line is a part of one.
  if (!isEnded) throw new BadExportError(`The export is cut off in line ${number}.`, another)
  try {
    const parsed: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (typeof parsed === 'object' && parsed !== null) return parsed
  } catch {}
  throw new BadExportError(`Line ${number} is no JSON object.`, ours)
}

function headerOf(parsed: object): Header {
  const { format, version, store, exported_at } = parsed as Partial<Header>
  if (format !== formatName || !Number.isSafeInteger(version))
    throw new BadExportError('It does not begin as an export does.', ours)
  if ((version as number) > formatVersion)
    throw new BadExportError(
      `The export has version ${version}; this Holdfast reads up to ${formatVersion}.`,
      'Import it with a newer Holdfast.',
    )
  return {
    format,
    version: version as number,
    store: String(store),
    exported_at: String(exported_at),
  }
}

function trailerOf(
  parsed: object,
  found: { documents: number; counts: Readonly<Record<string, number>>; sha256: string },
): Trailer {
  const trailer = parsed as Trailer
  if (trailer.documents !== found.documents)
    throw new BadExportError(
      `The export has ${found.documents} documents, and says that it has ${trailer.documents}.`,
      another,
    )
  if (trailer.sha256 !== found.sha256)
    throw new BadExportError('The export was changed: its checksum is another.', another)
  return trailer
}

function deliveryOf(parsed: object, { number }: Line, last: Delivery | null): Delivery {
  const parcel = parcelIn(parsed)
  const bad = (why: string) => new BadExportError(`Line ${number} ${why}.`, ours)
  if (parcel === null) throw bad('is no document')
  const { key, value } = parcel
  const place = placeOf(key)
  if (place === null || !isKey(key)) throw bad('is a document of no model that Holdfast knows')
  if (value.byteLength > valueBytesMax) throw bad(`has more than ${valueBytesMax} bytes`)
  if (last && !isAfter(place, key, last)) throw bad('stands out of order, or twice')
  return { key, value, place }
}

const isAfter = (place: Place, key: string, last: Delivery): boolean =>
  place.nth > last.place.nth || (place.nth === last.place.nth && compareKeys(last.key, key) < 0)

function isKey(key: string): boolean {
  try {
    checkKey(key)
    return true
  } catch {
    return false
  }
}
