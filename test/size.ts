const size = process.env['HOLDFAST_SOAK']

/** Whether this is `npm run soak`. */
export const isSoak = size !== undefined

/**
 * How much a test does: as much as it takes to see that something is wrong; in a soak, as much as it takes to trust that nothing
 * is; and in `npm run soak -- record`, which runs them all, something between.
 */
export const sized = <T>(quick: T, full: T, record = full): T => {
  if (!isSoak) return quick
  return size === 'record' ? record : full
}
