/**
 * Internal: the one seeded random source, for Kith's own packages. It may change with any version,
 * its streams may not: recorded results depend on them.
 */
export { seededFraction } from './seeded-fraction.ts'
export { counterWords, hashedWords, mulberryWords, sfcWords } from './streams.ts'
export { below, fraction, normal, shuffle, type Words } from './words.ts'
