/** The starts of ids: as much of each as tells it from the others, and from some that are not shown. */
export function shortIds(
  ids: readonly string[],
  { lengthMin, alike = [] }: { lengthMin: number; alike?: readonly string[] },
): string[] {
  const sorted = [...new Set([...ids, ...alike])].sort()
  const length = new Map(
    sorted.map((id, at) => {
      const shared = Math.max(sharedStart(id, sorted[at - 1]), sharedStart(id, sorted[at + 1]))
      return [id, Math.max(lengthMin, shared + 1)]
    }),
  )
  return ids.map((id) => id.slice(0, length.get(id)))
}

function sharedStart(a: string, b = ''): number {
  let length = 0
  while (length < b.length && a[length] === b[length]) length++
  return length
}
