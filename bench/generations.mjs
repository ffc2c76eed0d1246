/**
 * Measures the cost of the second generation beside the first with both views, and of the third
 * beside the second: 50 passages of 100 words with their vectors, from prepared texts and from raw
 * ones. Each generation reranks all inputs in sequence: in turn, they would warm the vectors for
 * one another, and only the third would wait for its positions. English has stop words, which the
 * first generation counts and the others leave out; made-up words have none and a larger vocabulary.
 */
import { prepareText, presets, Reranker } from '@kith/core'
import { clusteredContext } from './clusters.mjs'
import { inARow, table } from './measure.mjs'
import { englishPassages, passages } from './passages.mjs'

const PASSAGES = 50
const WORDS = 100

export async function compareGenerations() {
  const rows = [['d', 'texts', 'first', 'second', '÷', 'at most', 'third', '÷ second', 'at most']]
  const kinds = { English: await englishPassages(), 'made-up words': passages }
  const pairs = Object.keys(kinds).flatMap((kind) => [384, 768].map((d) => [kind, d]))
  for (const [kind, dimensions] of pairs) {
    const times = await measureGenerations(kinds[kind], dimensions)
    const row = (texts, kind, most) => {
      const of = (generation) => times[`${generation}${texts}`]
      const [one, two, three] = [of('first'), of('second'), of('third')]
      const after = [three.toFixed(3), (three / two).toFixed(2), most[1]]
      rows.push([
        ...[dimensions, kind, one.toFixed(3), two.toFixed(3), (two / one).toFixed(2), most[0]],
        ...after,
      ])
    }
    row('Prepared', `${kind}, prepared`, ['1.30', '1.20'])
    row('Raw', `${kind}, raw`, ['1.50', '1.15'])
  }
  console.log(
    `\nReranking ${PASSAGES} passages of ${WORDS} words with the presets of the three generations, CPU ms per query (medians)\n`,
  )
  console.log(table(rows))
}

/** Milliseconds of each generation, from prepared texts and from raw ones. */
export async function measureGenerations(write, dimensions, rounds = 15) {
  const inputs = Array.from({ length: 100 }, (_, i) => input(write, dimensions, i))
  const first = new Reranker(presets['balanced-1'])
  const second = new Reranker(presets['balanced-2'])
  const third = new Reranker()
  const english = ({
    query,
    found,
    counted: {
      english: [text, texts],
    },
  }) => [
    { ...query, text },
    { ...found, texts },
  ]
  const raw = ({ query, found, text, texts }) => [
    { ...query, text },
    { ...found, texts },
  ]
  return inARow(
    {
      firstPrepared: ({ query, found, counted }) =>
        first.rerank({ ...query, text: counted.none[0] }, { ...found, texts: counted.none[1] }),
      secondPrepared: (input) => second.rerank(...english(input)),
      thirdPrepared: (input) => third.rerank(...english(input)),
      firstRaw: (input) => first.rerank(...raw(input)),
      secondRaw: (input) => second.rerank(...raw(input)),
      thirdRaw: (input) => third.rerank(...raw(input)),
    },
    inputs,
    { calls: inputs.length, batches: rounds },
  )
}

function input(write, dimensions, seed) {
  const [text, ...texts] = write(seed, PASSAGES, WORDS)
  const { query: vector, candidates: vectors } = clusteredContext(PASSAGES, dimensions, seed)
  const count = (tokenizer) => [
    prepareText(text, { tokenizer }),
    texts.map((own) => prepareText(own, { tokenizer })),
  ]
  const counted = { none: count('none'), english: count('english') }
  return { query: { vector }, found: { vectors }, text, texts, counted }
}
