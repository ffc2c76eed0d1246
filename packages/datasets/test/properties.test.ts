import fc from 'fast-check'
import { expect, test } from 'vitest'
import { documentSynsets, type Split, splits, withoutShared } from '../src/build-wordnet.ts'
import { candidateCategories } from '../src/categories.ts'
import { buildWordnet } from '../src/index.ts'
import { Descendants, type Nouns, type Synset } from '../src/synset.ts'

/** Hierarchies of a root and eight branches; one synset in eight has a second hypernym. */
const hierarchies = fc
  .array(fc.tuple(fc.nat(), fc.nat(), fc.nat(7)), { minLength: 300, maxLength: 900, size: 'max' })
  .map((numbers): Nouns => {
    const synsets = new Map<string, Synset>()
    numbers.forEach(([first, second, dice], i) => {
      // Half of the synsets stand near the top, so that some have many documents below them.
      const reach = i % 2 === 0 ? Math.ceil(i / 8) : i - 1
      const above = dice === 0 ? [first, second] : [first]
      const places = i === 0 ? [] : i < 9 ? [0] : above.map((number) => 1 + (number % reach))
      const hypernyms = [...new Set(places)].map(idOf)
      const id = idOf(i)
      const definition = 'what was made up'
      synsets.set(id, { id, lexicalFile: 'animal', lemmas: [`word ${i}`], hypernyms, definition })
    })
    return { synsets, notice: '' }
  })

function idOf(position: number): string {
  return `n${`${position}`.padStart(8, '0')}`
}

/** What lies above a synset, the long way. */
function ancestors(id: string, { synsets }: Nouns): Set<string> {
  const found = new Set(synsets.get(id)!.hypernyms)
  for (const above of found) for (const next of synsets.get(above)!.hypernyms) found.add(next)
  return found
}

test('Descendants returns the documents that have a synset among their ancestors', () => {
  let [categories, full] = [0, 0]
  fc.assert(
    fc.property(hierarchies, (nouns) => {
      const documents = documentSynsets(nouns.synsets)
      const descendants = new Descendants(nouns.synsets, documents)
      const below = new Map<string, string[]>([...nouns.synsets.keys()].map((id) => [id, []]))
      for (const { id } of documents) {
        for (const above of ancestors(id, nouns)) below.get(above)!.push(id)
      }
      for (const [id, expected] of below) {
        if (expected.length > 200) full++
        expect(descendants.of(id)).toEqual(expected.length > 200 ? undefined : expected)
      }
      for (const { synset, relevant } of candidateCategories(descendants)) {
        expect(relevant).toEqual(below.get(synset.id))
        categories++
      }
    }),
    { numRuns: 60 },
  )
  expect(categories).toBeGreaterThan(0)
  expect(full).toBeGreaterThan(0)
})

test('buildWordnet shares no document or region between two splits, and makes no two similar queries', () => {
  const sizes: Record<Split, number> = { test: 0, dev: 0, train: 0 }
  fc.assert(
    fc.property(hierarchies, fc.nat(1000), (nouns, seed) => {
      const { queries } = buildWordnet(nouns, { seed })
      const splitOfDocument = new Map<string, string>()
      const splitOfRegion = new Map<string, string>()
      for (const { region, relevant, split } of queries) {
        sizes[split]++
        expect(splitOfRegion.get(region) ?? split).toBe(split)
        splitOfRegion.set(region, split)
        for (const id of relevant) {
          expect(splitOfDocument.get(id) ?? split).toBe(split)
          splitOfDocument.set(id, split)
        }
      }
      for (const [i, { relevant }] of queries.entries()) {
        const own = new Set(relevant)
        for (const other of queries.slice(i + 1)) {
          const both = other.relevant.filter((id) => own.has(id)).length
          const all = own.size + other.relevant.length - both
          expect(both / all).toBeLessThan(0.8)
        }
      }
    }),
    { numRuns: 60 },
  )
  for (const split of splits) expect(sizes[split]).toBeGreaterThan(0)
})

const drafts = fc.array(
  fc.record({
    split: fc.constantFrom<Split>(...splits),
    relevant: fc.uniqueArray(fc.nat(30).map(String), { minLength: 1, maxLength: 4 }),
  }),
  { maxLength: 30 },
)

test('withoutShared drops a query exactly if it shares a document with a kept query of an earlier split', () => {
  fc.assert(
    fc.property(drafts, (queries) => {
      const kept = withoutShared(queries)
      for (const query of queries) {
        const before = splits.slice(0, splits.indexOf(query.split))
        const clash = kept.some((other) => {
          return (
            before.includes(other.split) && other.relevant.some((id) => query.relevant.includes(id))
          )
        })
        expect(kept.includes(query)).toBe(!clash)
      }
    }),
  )
})
