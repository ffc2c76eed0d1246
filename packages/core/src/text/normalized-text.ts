/** A text after NFKC, and where the text has each of its units. */
export interface NormalizedText {
  text: string
  /** The start of the character that a unit comes from. */
  start: (unit: number) => number
  /** The end of the character that a unit comes from. */
  end: (unit: number) => number
}

/** A character with all that NFKC may join to it: marks, the later letters of a Hangul syllable, voiced marks of half width. */
const JOINED = /.[\p{M}\u1160-\u11ff\u3131-\u3163\uff9e\uff9f\uffa0-\uffdc]*/gsu

/** Normalizes a text and keeps the places of its characters. */
export function normalizeWithPlaces(text: string): NormalizedText {
  const normalized = text.normalize('NFKC')
  if (normalized === text) return { text, start: (unit) => unit, end: (unit) => unit + 1 }
  const starts: number[] = []
  const ends: number[] = []
  for (const { 0: part, index } of text.matchAll(JOINED)) {
    for (let i = part.normalize('NFKC').length; i > 0; i--) {
      starts.push(index)
      ends.push(index + part.length)
    }
  }
  return { text: normalized, start: (unit) => starts[unit]!, end: (unit) => ends[unit]! }
}
