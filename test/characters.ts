import fc from 'fast-check'

const surrogates = { from: 0xd800, count: 0x800 }

/** One character, whichever. The unit `binary` of fast-check gives the same, but lists the million of them first. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - surrogates.count })
  .map((at) => String.fromCodePoint(at < surrogates.from ? at : at + surrogates.count))
