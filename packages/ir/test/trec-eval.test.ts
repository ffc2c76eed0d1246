import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { evaluate, readQrels, readRun } from '../src/index.ts'
import { formatFigure } from '../src/measures/measures.ts'
import { sharedData } from './support.ts'

const data = sharedData()
const collections = data
  ? readdirSync(data).filter((name) => existsSync(join(data, name, 'trec_eval')))
  : []
const golden = collections.flatMap((collection) =>
  readdirSync(join(data!, collection, 'trec_eval')).map((file) => ({ collection, file })),
)

/** The run that a file of trec_eval's output is about. */
function runFile(collection: string, file: string): string {
  const name = file.split('.')[0]!
  return file.startsWith('all-MiniLM')
    ? join(data!, collection, 'embeddings/all-MiniLM-L6-v2/top200.run.trec')
    : join(data!, collection, 'runs', `${name}.dl19.top100.trec`)
}

describe.skipIf(!data)('the output of trec_eval', () => {
  test.for(golden)('$collection $file', async ({ collection, file }) => {
    const text = readFileSync(join(data!, collection, 'trec_eval', file), 'utf8')
    const lines = text.trim().split('\n')
    // `-M 10` cuts the ranking, which for the reciprocal rank is the cut-off.
    const cut = file.includes('top10') ? '@10' : ''
    const printed = lines
      .map((line) => line.split('\t').map((field) => field.trim()))
      .filter(([measure]) => !/^(num_|runid)/.test(measure!))
    const measures = [...new Set(printed.map(([measure]) => measure + cut))]

    const qrels = await readQrels(join(data!, collection, 'qrels/test.trec'))
    const run = await readRun(runFile(collection, file))
    const { mean, perQuery, queries } = evaluate(qrels, run, measures, {
      level: file.includes('level2') ? 2 : 1,
      complete: file.includes('complete'),
    })
    const ours = printed.map(([measure, query]) => {
      const name = measure + cut
      const value = query === 'all' ? mean[name] : perQuery[name]![queries.indexOf(query!)]
      return [measure, query, formatFigure(value!)]
    })
    expect(ours).toEqual(printed)
    expect(printed.length).toBeGreaterThan(43)
  })

  test('reproduces the paper’s row for TAS-B on TREC DL 2019 with the strict reading', async () => {
    const folder = join(data!, 'trec-dl-2019-judged')
    const qrels = await readQrels(join(folder, 'qrels/test.tsv'))
    const run = await readRun(join(folder, 'runs/D_BERT_KD_TASB.dl19.top100.trec'))
    const measures = ['MRR@10', 'nDCG@10', 'MAP@10', 'Recall@10']
    const strict = evaluate(qrels, run, measures, { level: 2, strict: true }).mean
    expect(measures.map((name) => formatFigure(strict[name]!))).toEqual([
      '0.8754',
      '0.6589',
      '0.2217',
      '0.2594',
    ])
    const plain = evaluate(qrels, run, ['nDCG@10'], { level: 2 }).mean
    expect(formatFigure(plain['nDCG@10']!)).toBe('0.7210')
  })
})
