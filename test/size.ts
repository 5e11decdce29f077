/**
 * How much a test does: as much as it takes to see that something is wrong, or, with `npm run soak`, as much as it
 * takes to trust that nothing is.
 */
export const sized = (quick: number, full: number): number =>
  process.env['HOLDFAST_SOAK'] === undefined ? quick : full
