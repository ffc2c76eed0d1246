/** Terms and documents of an inverted index. */
export interface WordTerms {
  /** The hashes of the terms, ascending. */
  hashes: Float64Array
  /** The first entry of each term, and last the end of the last term's. */
  starts: Uint32Array
  /** The terms of each document. */
  lengths: Uint32Array
}

/** Places of terms, one after the other. */
export interface Places {
  /** The documents of each term, ascending, by their number. */
  documents: Uint32Array
  /** How often each of these documents has the term. */
  counts: Uint16Array
}

/** Where terms occur in documents: an inverted index as a few arrays, which can be kept in a file. */
export interface WordPlaces extends WordTerms, Places {}

/** Numbers of a posting: both halves of the term's hash, and how often the text has it. */
const POSTING = 3

const RADIX = 2 ** 16

/** Orders the postings of documents by their terms. */
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

/** The order of numbers of several words, the lowest word first; equal ones stay in their order. */
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

/** The range of the places of a term; empty if no document has it. */
export function placesOf({ hashes, starts }: WordTerms, hash: number): [number, number] {
  let [from, to] = [0, hashes.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (hashes[middle]! < hash) from = middle + 1
    else to = middle
  }
  return hashes[from] === hash ? [starts[from]!, starts[from + 1]!] : [0, 0]
}
