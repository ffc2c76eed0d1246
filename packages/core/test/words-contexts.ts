import fc from 'fast-check'
import { prepareText, type Text } from '../src/index.ts'
import { makeContext } from './contexts.ts'
import { random } from './support.ts'
import { type OracleMember, stems } from './words-oracle.ts'

/** A query with candidates, each with a vector and a text. */
export interface WordsCase {
  query: OracleMember & { vector: Float32Array }
  candidates: (OracleMember & { vector: Float32Array })[]
}

/** What a case is made of. */
export interface CaseShape {
  kind: 'integers' | 'floats' | 'clustered'
  count: number
  dimensions: number
  /** The part of candidates that repeat an earlier one, vector and text. */
  twins: number
  /** The part of texts that are empty. */
  empty: number
  /** The part of texts that have a title. */
  titles: number
  /** The part of vectors that are zero. */
  zeros: number
  longest: number
  seed: number
}

const vocabulary = Object.keys(stems)

/** Shapes from no candidate to more than a preselection looks at. */
export function caseShapes(most = 60): fc.Arbitrary<CaseShape> {
  return fc.record({
    kind: fc.constantFrom('integers', 'floats', 'clustered'),
    count: fc.oneof(fc.constantFrom(0, 1, 2, 3), fc.integer({ min: 1, max: most })),
    dimensions: fc.integer({ min: 1, max: 24 }),
    twins: fc.constantFrom(0, 0.3, 1),
    empty: fc.constantFrom(0, 0.3, 1),
    titles: fc.constantFrom(0, 0.5, 1),
    zeros: fc.constantFrom(0, 0.2),
    longest: fc.constantFrom(2, 12, 60),
    seed: fc.integer(),
  })
}

/** The case of a shape. */
export function wordsCase(shape: Partial<CaseShape>): WordsCase {
  const { kind = 'clustered', count = 30, seed = 1 } = shape
  // In one dimension all cosines are near ties, which may stand in either order.
  const dimensions = Math.max(kind === 'clustered' ? 2 : 1, shape.dimensions ?? 16)
  const { twins = 0, empty = 0, zeros = 0, longest = 12, titles = 0 } = shape
  const next = random(seed)
  const { data } = makeContext(kind, count + 1, dimensions, { zeros, seed })
  const members: WordsCase['candidates'] = []
  for (let i = 0; i <= count; i++) {
    // Row 0, the query, has no twin.
    if (i > 1 && next() < twins) members.push({ ...members[1 + Math.floor(next() * (i - 1))]! })
    else {
      const vector = data.slice(i * dimensions, (i + 1) * dimensions)
      const own = next() < empty ? '' : text(next, longest)
      const titled = i > 0 && titles > 0 && next() < titles
      members.push({ vector, text: own, ...(titled && { title: text(next, 6) }) })
    }
  }
  return { query: members[0]!, candidates: members.slice(1) }
}

/** A candidate's title and text as callers give them. */
export function givenText({ title, text: own, positions }: OracleMember): Text {
  const whole = title === undefined ? own : { title, text: own }
  return positions === undefined ? whole : prepareText(whole, { positions })
}

/** Words in a skewed distribution: some of them stand in most texts. */
export function text(next: () => number, longest: number): string {
  return Array.from(
    { length: Math.floor(next() * (longest + 1)) },
    () => vocabulary[Math.floor(vocabulary.length * next() ** 1.5)]!,
  ).join(' ')
}

/** A collection's texts, those of a case not among them. */
export function collectionTexts(seed: number, count = 40): string[] {
  const next = random(seed)
  return Array.from({ length: count }, () => text(next, 20))
}
