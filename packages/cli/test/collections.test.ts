import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rerankRun } from '@kith/pipelines/rerank'
import { searchRun } from '@kith/pipelines/search'
import { describe, expect, test } from 'vitest'
import { sharedCollection, temporaryFolder } from '../../../test/files.ts'
import { thorough } from '../../../test/thorough.ts'
import { succeed } from './support.ts'

/** nDCG@10 of the cosine ranking, reranked by embeddings, and by embeddings and words. */
const figures: [string, number, number, number][] = [
  ['cranfield', 0.3739, 0.395, 0.4423],
  ['cisi', 0.4192, 0.424, 0.4583],
  ['scifact', 0.6451, 0.648, 0.7225],
  ['trec-dl-2019-judged', 0.6748, 0.673, 0.6887],
]

const output = temporaryFolder()

/** The options that name a collection's embeddings, and those that name its texts. */
function optionsOf(folder: string): { embeddings: string[]; texts: string[] } {
  const vectors = join(folder, 'embeddings/all-MiniLM-L6-v2')
  return {
    embeddings: ['--queries', join(vectors, 'queries.npy'), '--docs', join(vectors, 'docs.npy')],
    texts: [
      '--corpus',
      join(folder, 'corpus.jsonl'),
      '--query-text',
      join(folder, 'queries.jsonl'),
    ],
  }
}

describe.each(thorough ? figures : figures.slice(0, 2))('%s', (name, plain, byVectors, byBoth) => {
  const folder = sharedCollection(name)

  test.skipIf(!folder)('reaches the recorded figures with search, rerank and eval', () => {
    const { embeddings, texts } = optionsOf(folder!)
    const run = join(output, `${name}.trec`)
    const [first, second] = [join(output, `${name}.1.trec`), join(output, `${name}.2.trec`)]
    succeed('search', ...embeddings, '--top', '200', '--out', run)
    succeed('rerank', '--run', run, ...embeddings, '--out', first)
    const both = succeed(
      'rerank',
      '--run',
      run,
      ...embeddings,
      ...texts,
      '--out',
      second,
      '--qrels',
      join(folder!, 'qrels/test.tsv'),
    )
    if (name === 'scifact')
      expect(both).toMatch(/Reranking helped: \+0\.07\d\d nDCG@10 \(significant/)
    if (name === 'trec-dl-2019-judged')
      expect(both).toMatch(/Reranking may have helped: .* \(not significant/)
    const qrels = join(folder!, 'qrels/test.trec')
    const { runs } = JSON.parse(
      succeed(
        'eval',
        '--qrels',
        qrels,
        '--run',
        run,
        '--run',
        first,
        '--run',
        second,
        '--measures',
        'nDCG@10',
        '--json',
      ),
    )
    const [before, vectorsOnly, bothViews] = runs.map(
      ({ measures }: { measures: Record<string, number> }) => measures['nDCG@10'],
    )
    expect(before.toFixed(4)).toBe(plain.toFixed(4))
    expect(Math.abs(vectorsOnly - byVectors)).toBeLessThan(0.003)
    expect(Math.abs(bothViews - byBoth)).toBeLessThan(0.0005)
  })
})

const dl = sharedCollection('trec-dl-2019-judged')

test.skipIf(!dl)('kith eval --strict reproduces the paper’s row for TAS-B on TREC DL 2019', () => {
  const run = join(dl!, 'runs/D_BERT_KD_TASB.dl19.top100.trec')
  const out = succeed(
    'eval',
    '--qrels',
    join(dl!, 'qrels/test.trec'),
    '--run',
    run,
    '--level',
    '2',
    '--strict',
    '--format',
    'trec',
  )
  const values = [...out.matchAll(/all\t(\S+)/g)].map(([, value]) => value)
  expect(values).toEqual(['0.6589', '0.8754', '0.2217', '0.2594'])
})

const cranfield = sharedCollection('cranfield')

test.skipIf(!cranfield)('any number of workers and any memory give the same bytes', async () => {
  const { embeddings, texts } = optionsOf(cranfield!)
  const made = (name: string, ...more: string[]): [string, string] => {
    const [run, better] = [join(output, `${name}.trec`), join(output, `${name}.better.trec`)]
    succeed('search', ...embeddings, '--top', '100', '--out', run, ...more)
    succeed('rerank', '--run', run, ...embeddings, ...texts, '--out', better, ...more)
    return [readFileSync(run, 'utf8'), readFileSync(better, 'utf8')]
  }
  const expected = made('one', '--workers', '1')
  expect(made('three', '--workers', '3')).toEqual(expected)
  const [run, better] = [join(output, 'disk.trec'), join(output, 'disk.better.trec')]
  const [, queries, , docs] = embeddings as [string, string, string, string]
  const [, corpus, , queryText] = texts as [string, string, string, string]
  const files = { queries, docs, memory: 100_000, workers: 2 }
  await searchRun({ ...files, top: 100, out: run })
  await rerankRun({ ...files, run, corpus, queryText, out: better })
  expect([readFileSync(run, 'utf8'), readFileSync(better, 'utf8')]).toEqual(expected)
})
