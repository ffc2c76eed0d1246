import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { writeCollection } from '../../packages/pipelines/test/store-data.ts'
import { temporaryFolder } from '../files.ts'
import { killAndCompare } from './kill.mjs'
import { writeSmallModel } from './small-model.mjs'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)

beforeAll(async () => {
  await writeCollection(folder, 600)
  writeSmallModel(path('model'))
})

/** Options that several commands share. */
const vectors = ['--queries', path('queries.npy'), '--docs', path('docs.npy')]
const ranked = ['--run', path('run.trec'), ...vectors, '--missing', 'skip']
const judged = [...ranked, '--qrels', path('qrels.trec')]
const texts = ['--corpus', path('corpus.jsonl'), '--query-text', path('queries.jsonl')]
const model = ['--model', path('model'), '--threads', '1']
// Starting threads takes longer than this work; rerank and the first labels have some.
const alone = ['--workers', '1']
const train = [
  ...['train', '--docs', path('all.npy'), '--train-run', path('run.trec')],
  ...['--train-queries', path('queries.npy'), '--qrels', path('qrels.trec')],
  ...['--out', '{out}/adapter', '--adapter'],
]

/** Every command that writes files and can take long, with as many kills as it is worth. */
const commands: [string, string[]][] = [
  ['search', ['search', ...vectors, '--out', '{out}/run.trec.gz']],
  ['rerank', ['rerank', ...ranked, ...texts, '--out', '{out}/better.trec']],
  ['labels as JSONL', ['labels', ...judged, '--out', '{out}/labels.jsonl']],
  ['labels as packed TSV', ['labels', ...judged, ...alone, '--out', '{out}/labels.tsv.gz']],
  ['labels as Parquet', ['labels', ...judged, ...alone, '--out', '{out}/labels.parquet']],
  ['audit', ['audit', ...judged, ...texts, ...alone, '--out', '{out}/audit.tsv']],
  ['encode', ['encode', ...model, '--input', path('corpus.jsonl'), '--out', '{out}/docs.npy']],
  [
    'convert',
    ['convert', '--kind', 'embeddings', '--in', path('docs.npy'), '--out', '{out}/docs.npy.gz'],
  ],
  ['train', [...train, 'mlp', '--set', 'epochs=2', '--set', 'listSize=20', '--set', 'threads=1']],
  ['train by fitting', [...train, 'linear']],
]

test.for(commands)('%s ends with the same bytes after a kill at any moment', async ([_, args]) => {
  const { kills, differences } = await killAndCompare(args, { times: 4 })
  expect(differences).toEqual([])
  expect(kills).toBeGreaterThan(0)
})
