import { describe, expect, test } from 'vitest'
import { documentSynsets } from '../src/build-wordnet.ts'
import { buildWordnet, readNouns } from '../src/index.ts'
import { Descendants, regionOf } from '../src/synset.ts'
import { kinds, nounsOf, type Sketch, small } from './support.ts'

/** The queries' titles: which categories have become queries. */
async function titles(sketches: readonly Sketch[]): Promise<string[]> {
  return buildWordnet(await nounsOf(sketches)).queries.map(({ title }) => title)
}

const root: Sketch = { words: ['entity'], file: '03' }

describe('documents of buildWordnet', () => {
  test('are the synsets without hyponyms, instances included, with lemmas and definition as text', async () => {
    const { documents } = buildWordnet(await readNouns(small))
    expect(documents.map(({ text }) => text)).toEqual([
      'lapdog, lap dog, toy dog: a dog (of any breed) small enough to lie in a lap',
      'guard cat: a cat that guards; so called in the phrase "beware of the cat"',
      'Laika: the first dog in orbit',
    ])
  })

  test('exclude synsets below "taxonomic group", on any path', async () => {
    const nouns = await nounsOf([
      root,
      { words: ['group'], above: ['entity'] },
      { words: ['biological group', 'taxonomic group'], above: ['group'] },
      { words: ['genus'], above: ['biological group'] },
      { words: ['Felis'], above: ['genus'] },
      { words: ['Canis'], above: ['group', 'genus'] },
      { words: ['herd'], above: ['group'] },
    ])
    expect(buildWordnet(nouns).documents.map(({ text }) => text)).toEqual(['herd: a thing'])
  })
})

describe('queries of buildWordnet', () => {
  test.each([
    [4, 0],
    [5, 1],
    [200, 1],
    [201, 0],
  ])('with %i documents below a category: %i queries', async (count, queries) => {
    const below = kinds(['bird'], 'b#', count)
    expect(await titles([root, { words: ['bird'], above: ['entity'] }, ...below])).toHaveLength(
      queries,
    )
  })

  test('take every document below them as relevant once, over all hypernyms', async () => {
    const { queries } = buildWordnet(
      await nounsOf([
        root,
        { words: ['bird'], above: ['entity'] },
        { words: ['wader'], above: ['bird'] },
        { words: ['swimmer'], above: ['bird'] },
        ...kinds(['wader', 'swimmer'], 'both #', 2),
        ...kinds(['wader'], 'heron #', 5),
        ...kinds(['bird'], 'wren #', 3),
      ]),
    )
    const sizes = queries.map(({ title, relevant }) => [title, relevant.length])
    expect(sizes).toEqual([
      ['bird', 10],
      ['wader', 7],
    ])
    expect(new Set(queries[0]!.relevant).size).toBe(10)
  })

  test('come from the lexical files of concrete things', async () => {
    const categories = ['05', '06', '04', '26'].flatMap((file) => [
      { words: [`kind ${file}`], above: ['entity'], file },
      ...kinds([`kind ${file}`], `of-${file}-#`, 5),
    ])
    expect(await titles([root, ...categories])).toEqual(['kind 05', 'kind 06'])
  })

  test.each([
    [3, []],
    [2, ['wading bird']],
  ])('with the head word in the lemmas of %i of 5 documents are %j', async (named, expected) => {
    const sketches = [
      root,
      { words: ['wading bird'], above: ['entity'] },
      ...kinds(['wading bird'], 'red Bird #', named),
      // A word that only begins with it, or its other words, do not count.
      ...kinds(['wading bird'], 'birdie wading #', 5 - named),
    ]
    expect(await titles(sketches)).toEqual(expected)
  })

  test('are left out if the head word is in any lemma of most documents', async () => {
    const below = kinds(['bird'], 'b#', 5).map((sketch) => {
      return { ...sketch, words: [...sketch.words, 'some bird'] }
    })
    expect(await titles([root, { words: ['bird'], above: ['entity'] }, ...below])).toEqual([])
  })

  test.each([
    [3, 'a small wading bird that stands in rivers', []],
    [3, '(ornithology) any of various Wading Birds, long of leg', []],
    [2, 'a small wading bird that stands in rivers', ['wading bird']],
    [3, 'a keeper of a wading bird', ['wading bird']],
    [3, 'a wading bird sanctuary', ['wading bird']],
  ])(
    'with %i unlabeled and 8 labeled documents, all defined as "%s", are %j',
    async (holes, gloss, expected) => {
      const sketches = [
        root,
        { words: ['wading bird'], above: ['entity'] },
        ...kinds(['wading bird'], 'w#', 8, gloss),
        ...kinds(['entity'], 'hole #', holes, gloss),
      ]
      expect(await titles(sketches)).toEqual(expected)
    },
  )

  test.each(['gas', 'glasses', 'Oak'])(
    'named "%s" are left out if unlabeled documents match, with any ending of the name',
    async (title) => {
      const sketches = [
        root,
        { words: [title], above: ['entity'] },
        ...kinds([title], 'k#', 8),
        ...kinds(['entity'], 'hole #', 3, `the finest ${title} of all`),
      ]
      expect(await titles(sketches)).toEqual([])
      expect(await titles(sketches.slice(0, -1))).toEqual([title])
    },
  )

  test.each([
    [8, ['bird']],
    [7, ['bird', 'wader']],
  ])('of 10 documents, with a subcategory of %i, are %j', async (count, expected) => {
    const sketches = [
      root,
      { words: ['bird'], above: ['entity'] },
      { words: ['wader'], above: ['bird'] },
      ...kinds(['wader'], 'w#', count),
      ...kinds(['bird'], 'b#', 10 - count),
    ]
    expect(await titles(sketches)).toEqual(expected)
    // The larger one stays wherever it stands in the file.
    const swapped = [root, sketches[2]!, sketches[1]!, ...sketches.slice(3)]
    expect((await titles(swapped)).sort()).toEqual(expected)
  })

  test('are kept if they nearly equal a query that was itself left out', async () => {
    const chain = [
      root,
      // Left out: its name stands in its documents.
      { words: ['bird'], above: ['entity'] },
      { words: ['wader'], above: ['bird'] },
      ...kinds(['wader'], 'long bird #', 6),
    ]
    expect(await titles(chain)).toEqual(['wader'])
  })
})

describe('regionOf', () => {
  test('returns the topmost first hypernym with at most 200 documents', async () => {
    const nouns = await nounsOf([
      root,
      { words: ['animal'], above: ['entity'] },
      { words: ['bird'], above: ['animal'] },
      { words: ['wader'], above: ['bird', 'odd'] },
      { words: ['odd'], above: ['entity'] },
      { words: ['fish'], above: ['animal'] },
      ...kinds(['wader'], 'w#', 100),
      ...kinds(['bird'], 'b#', 100),
      ...kinds(['fish'], 'f#', 5),
      ...kinds(['odd'], 'o#', 30),
    ])
    const descendants = new Descendants(nouns.synsets, documentSynsets(nouns.synsets))
    const [, animal, bird, wader, odd, fish] = [...nouns.synsets.keys()]
    expect(regionOf(wader!, descendants)).toBe(bird)
    expect(regionOf(bird!, descendants)).toBe(bird)
    expect(regionOf(fish!, descendants)).toBe(fish)
    expect(regionOf(odd!, descendants)).toBe(odd)
    expect(regionOf(animal!, descendants)).toBe(animal)
  })

  test('returns the root if the whole hierarchy fits into one region', async () => {
    const sketches = [root, { words: ['bird'], above: ['entity'] }, ...kinds(['bird'], 'b#', 9)]
    const [query] = buildWordnet(await nounsOf(sketches)).queries
    expect(query!.region).toBe('n00000001')
  })
})

describe('the seed of buildWordnet', async () => {
  const sketches = [root, ...kinds(['entity'], 'a#', 201)]
  for (let i = 0; i < 40; i++) {
    sketches.push({ words: [`c${i}`], above: ['entity'] }, ...kinds([`c${i}`], `k${i} #`, 5))
  }
  const nouns = await nounsOf(sketches)

  test('decides the splits, and no split is empty', () => {
    const [one, again, other] = [3, 3, 4].map((seed) => {
      return buildWordnet(nouns, { seed }).queries.map(({ split }) => split)
    })
    expect(again).toEqual(one)
    expect(other).not.toEqual(one)
    expect(new Set(one)).toEqual(new Set(['test', 'dev', 'train']))
  })

  test.each([-1, 1.5, Number.NaN])('%d is refused', (seed) => {
    expect(() => buildWordnet(nouns, { seed })).toThrow(
      expect.objectContaining({ code: 'BAD_SETTING' }),
    )
  })
})
