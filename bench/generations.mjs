/**
 * What the whole second generation costs beside the first one with both views: 50 passages of 100
 * words with their vectors, from prepared texts and from raw ones, in the same rounds. English has
 * stop words, which the first generation counts and the second leaves out; made-up words have none
 * and a larger vocabulary.
 */
import { prepareText, presets, Reranker } from '@kith/core'
import { clusteredContext } from './clusters.mjs'
import { sideBySide, table } from './measure.mjs'
import { englishPassages, passages } from './passages.mjs'

const PASSAGES = 50
const WORDS = 100

export async function compareGenerations() {
  const rows = [['d', 'texts', 'first', 'second', '÷', 'at most']]
  const kinds = { English: await englishPassages(), 'made-up words': passages }
  const pairs = Object.keys(kinds).flatMap((kind) => [384, 768].map((d) => [kind, d]))
  for (const [kind, dimensions] of pairs) {
    const inputs = Array.from({ length: 100 }, (_, i) => input(kinds[kind], dimensions, i))
    const first = new Reranker(presets['balanced-1'])
    const second = new Reranker()
    const times = await sideBySide(
      {
        firstPrepared: ({ query, found, counted }) =>
          first.rerank({ ...query, text: counted.none[0] }, { ...found, texts: counted.none[1] }),
        secondPrepared: ({ query, found, counted }) =>
          second.rerank(
            { ...query, text: counted.english[0] },
            { ...found, texts: counted.english[1] },
          ),
        firstRaw: ({ query, found, text, texts }) =>
          first.rerank({ ...query, text }, { ...found, texts }),
        secondRaw: ({ query, found, text, texts }) =>
          second.rerank({ ...query, text }, { ...found, texts }),
      },
      inputs,
      1000,
    )
    const row = (name, before, after, most) => {
      const ratio = (after / before).toFixed(2)
      rows.push([dimensions, name, before.toFixed(3), after.toFixed(3), ratio, most])
    }
    row(`${kind}, prepared`, times.firstPrepared, times.secondPrepared, '1.30')
    row(`${kind}, raw`, times.firstRaw, times.secondRaw, '1.50')
  }
  console.log(
    `\nReranking ${PASSAGES} passages of ${WORDS} words by both generations, ms per query (medians)\n`,
  )
  console.log(table(rows))
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
