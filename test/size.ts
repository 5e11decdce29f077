/** Whether this is `npm run soak`. */
export const isSoak = process.env['HOLDFAST_SOAK'] !== undefined

/**
 * How much a test does: as much as it takes to see that something is wrong, or, in a soak, as much as it takes to trust
 * that nothing is.
 */
export const sized = <T>(quick: T, full: T): T => (isSoak ? full : quick)
