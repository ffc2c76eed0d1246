/** The terms and documents of an inverted index. */
export interface WordTerms {
  /** The hashes of the terms, in ascending order. */
  hashes: Float64Array
  /** The position of each term's first posting, then the end of the last term's postings. */
  starts: Uint32Array
  /** The number of terms of each document. */
  lengths: Uint32Array
}

/** The postings of terms, concatenated. */
export interface Places {
  /** The document numbers of each term, in ascending order. */
  documents: Uint32Array
  /** How often each of these documents contains the term. */
  counts: Uint16Array
}

/** An inverted index as a few arrays, which can be saved in a file. */
export interface WordPlaces extends WordTerms, Places {}

/**
 * Count of numbers in a posting: both halves of the term's hash, and the term's count in the text.
 */
const POSTING = 3

const RADIX = 2 ** 16

/** Sorts the postings of documents by term. */
export function wordPlaces(postings: readonly Uint32Array[]): WordPlaces {
  const total = postings.reduce((sum, { length }) => sum + length / POSTING, 0)
  const [lower, upper] = [new Uint32Array(total), new Uint32Array(total)]
  const [owners, found] = [new Uint32Array(total), new Uint32Array(total)]
  const lengths = new Uint32Array(postings.length)
  let next = 0
  for (const [document, own] of postings.entries()) {
    for (let at = 0; at < own.length; at += POSTING) {
      lower[next] = own[at]!
      upper[next] = own[at + 1]!
      owners[next] = document
      found[next++] = own[at + 2]!
      lengths[document]! += own[at + 2]!
    }
  }
  const order = sortedBy([lower, upper])
  const documents = new Uint32Array(total)
  const counts = new Uint16Array(total)
  const hashes: number[] = []
  const starts: number[] = []
  let last = -1
  for (let place = 0; place < total; place++) {
    const at = order[place]!
    documents[place] = owners[at]!
    counts[place] = Math.min(found[at]!, RADIX - 1)
    const hash = upper[at]! * 2 ** 32 + lower[at]!
    if (hash === last) continue
    last = hash
    hashes.push(hash)
    starts.push(place)
  }
  starts.push(total)
  return {
    ...{ hashes: Float64Array.from(hashes), starts: Uint32Array.from(starts) },
    ...{ documents, counts, lengths },
  }
}

/** Returns the order of multi-word numbers, given lowest word first; the sort is stable. */
function sortedBy(words: readonly Uint32Array[]): Uint32Array {
  const { length } = words[0]!
  let order = Uint32Array.from({ length }, (_, i) => i)
  let other = new Uint32Array(length)
  for (const word of words) {
    for (const shift of [0, 16]) {
      const ends = new Uint32Array(RADIX + 1)
      for (let i = 0; i < length; i++) ends[((word[i]! >>> shift) & (RADIX - 1)) + 1]!++
      for (let digit = 0; digit < RADIX; digit++) ends[digit + 1]! += ends[digit]!
      for (let i = 0; i < length; i++) {
        const at = order[i]!
        other[ends[(word[at]! >>> shift) & (RADIX - 1)]!++] = at
      }
      ;[order, other] = [other, order]
    }
  }
  return order
}

/** Returns the range of a term's postings; empty if no document contains the term. */
export function placesOf({ hashes, starts }: WordTerms, hash: number): [number, number] {
  let [from, to] = [0, hashes.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (hashes[middle]! < hash) from = middle + 1
    else to = middle
  }
  return hashes[from] === hash ? [starts[from]!, starts[from + 1]!] : [0, 0]
}
