import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { kith } from './support.ts'

const data = join(temporaryFolder(), 'dataset')

beforeEach(() => {
  rmSync(data, { recursive: true, force: true })
  mkdirSync(join(data, 'qrels'), { recursive: true })
  writeFileSync(join(data, 'corpus.jsonl'), '{"_id":"a","text":"one"}\n{"_id":"b","text":"two"}\n')
  writeFileSync(join(data, 'queries.jsonl'), '{"_id":"q","text":"one"}\n')
  writeFileSync(join(data, 'qrels/test.tsv'), 'query-id\tcorpus-id\tscore\nq\ta\t1\n')
  writeFileSync(join(data, 'settings.json'), '{"misspelled": 1}')
})

test.each([
  ['rerank --set misspelled=1', 'unknown setting "misspelled"'],
  ['rerank --set k=0', 'k must be'],
  ['rerank --set lambda=0.5', 'lambda has no effect'],
  ['rerank --preset fast', '--preset must be one of balanced'],
  ['rerank --workers none', '--workers must be a number'],
  ['rerank --missing drop', '--missing must be one of'],
  ['rerank --cutoff best', '--cutoff must be auto'],
  [
    'rerank --cutoff 5 --calibration FOLDER/settings.json',
    '--calibration has no effect without --cutoff auto',
  ],
  ['rerank --shard 3', '--shard must be I/N'],
  ['rerank --then-cross-encode model:0', '--then-cross-encode must rerank at least 1 document'],
  ['rerank --submit batch', '--submit writes no file'],
  ['labels --set boost=-1', 'boost must be'],
  ['labels --set misspelled=1', 'unknown setting "misspelled"'],
  ['labels --format xml', '--format must be one of'],
  ['labels --format jsonl --negatives 2', 'negatives has no effect with the format jsonl'],
  ['labels --target distil --format jsonl:logit', 'has no effect with the format jsonl'],
  ['labels --target distil --set boost=2', 'boost'],
  ['labels --target all', '--target must be one of'],
  ['train --set misspelled=1', 'unknown setting "misspelled"'],
  ['train --set learningRate=-1', 'learningRate must be'],
  ['train --adapter cubic', '--adapter must be one of'],
  ['train --adapter linear --set steps=5', 'steps has no effect'],
  ['tune --set misspelled=1', 'unknown setting "misspelled"'],
  ['tune --methods magic', 'magic'],
  ['tune --measure nDGC@10', 'nDGC@10'],
  ['tune --folds 1', '--folds must be a whole number'],
  ['sweep --set misspelled=1', 'unknown setting "misspelled"'],
  ['sweep --measure nDGC@10', 'nDGC@10'],
  ['audit --set misspelled=1', 'unknown setting "misspelled"'],
  ['audit --evaluate --repeats 0', '--repeats must be a whole number'],
  ['eval --measures nDGC@10', 'nDGC@10'],
  ['eval --format xml', '--format must be one of'],
  ['eval --fail-on never --baseline FOLDER/other.trec', '--fail-on must be significant or drop'],
  ['report --measures nDGC@10', 'nDGC@10'],
  ['search --metric euclid', '--metric must be one of'],
  ['search --bm25 --tokenizer klingon', 'klingon'],
  ['encode --role passage', '--role must be one of'],
  ['encode --pooling max', '--pooling must be one of'],
  ['background --seed=-1', '--seed must be a whole number'],
  ['term-statistics --tokenizer klingon', 'klingon'],
  ['studio --port 70000', '--port must be a whole number'],
  ['studio --export-size much', '--export-size must be a size'],
  ['try --trials 0', '--trials must be a whole number'],
  ['try --pooling max', '--pooling must be one of'],
] as const)('kith %s is refused before the dataset is encoded', (line, message) => {
  const [command, ...options] = line.split(' ')
  const { code, err } = kith(command!, data, ...options.map((one) => one.replace('FOLDER', data)))
  expect(err).toMatch(new RegExp(message))
  expect([code, existsSync(join(data, '.kith'))]).toEqual([2, false])
})
