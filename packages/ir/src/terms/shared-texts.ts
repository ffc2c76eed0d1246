import type { PreparedText } from '@kith/core'

/** Prepared texts on shared memory, one behind the other. */
export interface SharedTexts {
  words: Uint32Array
  /** Where each text starts, and at last where the last one ends. */
  starts: Float64Array
  /** How the terms of all of them were made. */
  tokenizer: PreparedText['tokenizer']
}

/** Puts texts on shared memory. */
export function shareTexts(texts: readonly PreparedText[]): SharedTexts {
  const starts = new Float64Array(new SharedArrayBuffer((texts.length + 1) * 8))
  texts.forEach(({ postings }, i) => {
    starts[i + 1] = starts[i]! + postings.length
  })
  const words = new Uint32Array(new SharedArrayBuffer(starts[texts.length]! * 4))
  texts.forEach(({ postings }, i) => {
    words.set(postings, starts[i]!)
  })
  return { words, starts, tokenizer: texts[0]?.tokenizer ?? 'english' }
}

/** One text of those that are shared. */
export function textAt({ words, starts, tokenizer }: SharedTexts, number: number): PreparedText {
  return { postings: words.subarray(starts[number]!, starts[number + 1]!), tokenizer }
}
