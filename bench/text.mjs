/**
 * Measures the text view of 50 passages of 100 words, from raw texts and from prepared ones, beside
 * the Gram matrix of 50 vectors of 768 numbers; then the term statistics of a corpus; both also
 * with a tokenizer that makes a second term of each word.
 */
import '@kith/languages'
import { kernel, prepareText } from '@kith/core'
import { appendText, createEngine, Postings } from '@kith/core/steps'
import { clusteredContext } from './clusters.mjs'
import { sideBySide, table } from './measure.mjs'
import { passages } from './passages.mjs'
import { corpora, countCollection } from './statistics.mjs'

const PASSAGES = 50
const WORDS = 100
const DIMENSIONS = 768

/** Milliseconds of the text view by tokenizer, and of the Gram matrix. */
export async function measureTexts(rounds = 1000) {
  const inputs = Array.from({ length: 100 }, (_, i) => {
    const texts = passages(i, PASSAGES, WORDS)
    return {
      texts,
      prepared: texts.map((text) => prepareText(text)),
      ...clusteredContext(PASSAGES, DIMENSIONS, i),
    }
  })
  const engine = createEngine()
  const postings = new Postings()
  const similarity = (texts, tokenizer = 'english') => {
    postings.clear()
    for (const text of texts) appendText(postings, text, tokenizer)
    engine.scoped(() => engine.texts(postings).similarity())
  }
  const vectors = createEngine()
  const gram = (copyTo) =>
    vectors.scoped(() => vectors.gram({ count: PASSAGES + 1, dimensions: DIMENSIONS, copyTo }))
  return sideBySide(
    {
      copy: ({ query, candidates }) => {
        gram((data, at, stride) => {
          data.set(query, at)
          candidates.forEach((row, i) => {
            data.set(row, at + (i + 1) * stride)
          })
        })
      },
      // Of the vectors that lie at the same place from the round before: without the copying.
      gram: () => gram(() => {}),
      prepared: ({ prepared }) => similarity(prepared),
      raw: ({ texts }) => similarity(texts),
      spanish: ({ texts }) => similarity(texts, 'spanish'),
      german: ({ texts }) => similarity(texts, 'german'),
    },
    inputs,
    rounds,
  )
}

export async function run() {
  const times = await measureTexts()
  const ratio = (name) => (times[name] / times.gram).toFixed(2)
  console.log(`\nText view of ${PASSAGES} passages of ${WORDS} words, ms (${kernel()}, median)\n`)
  console.log(
    table([
      ['step', 'ms', '× Gram', '× English', 'at most'],
      [`Gram, d = ${DIMENSIONS}`, times.gram.toFixed(3), '1.00', '', ''],
      ['Gram with copying the vectors', times.copy.toFixed(3), ratio('copy'), '', ''],
      ['text view, prepared', times.prepared.toFixed(3), ratio('prepared'), '', ''],
      ['text view, raw texts', times.raw.toFixed(3), ratio('raw'), '1.00', ''],
      ...['spanish', 'german'].map((language) => [
        `text view, raw texts, ${language}`,
        times[language].toFixed(3),
        ratio(language),
        (times[language] / times.raw).toFixed(2),
        '1.50',
      ]),
    ]),
  )
  const given = corpora()
  if (given.length > 0) for (const [tokenizer, file] of given) countCollection(tokenizer, file)
  else for (const tokenizer of ['english', 'spanish', 'german']) countCollection(tokenizer)
}
