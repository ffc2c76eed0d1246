import { Tensor } from '@kith/encoder/runtime'

/** The mask of texts with these numbers of tokens, 1 for tokens and 0 for padding, and the longest of them. */
export function tokenMask(lengths: readonly number[]): { mask: Tensor; length: number } {
  const length = lengths.reduce((most, tokens) => Math.max(most, tokens), 0)
  const mask = new BigInt64Array(lengths.length * length)
  lengths.forEach((tokens, text) => {
    mask.fill(1n, text * length, text * length + tokens)
  })
  return { mask: new Tensor('int64', mask, [lengths.length, length]), length }
}
