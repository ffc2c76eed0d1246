import { createHash } from 'node:crypto'
import { KithError } from '@kith/core'

/**
 * A number from 0 to below 1 that a seed and a name decide. Unlike the numbers of a generator it
 * does not depend on what was drawn before: adding a query changes no other query's draw.
 */
export function seededFraction(seed: number, name: string): number {
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new KithError('BAD_SETTING', `seed ${seed}, expected a whole number from 0 on`)
  }
  return createHash('sha256').update(`${seed} ${name}`).digest().readUInt32BE() / 2 ** 32
}
