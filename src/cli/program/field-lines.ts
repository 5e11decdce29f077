import { printable } from './printable.ts'

/** `name: value`. Further lines stand below the first, so that none can be taken for a field. */
export function fieldLines(name: string, value: string): string[] {
  const [first, ...more] = value
    .split('\n')
    .map((line) => line.split('\t').map(printable).join('\t'))
  const indent = ' '.repeat(name.length + 2)
  return [`${name}: ${first}`, ...more.map((line) => indent + line)].map((line) => line.trimEnd())
}
