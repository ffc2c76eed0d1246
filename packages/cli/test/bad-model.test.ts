import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openEncoderModel } from '@kith/train'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import {
  bertConfig,
  bertNames,
  randomWeights,
  vocabulary,
} from '../../encoder/test/small-models.ts'
import { safetensors, writeFiles } from '../../encoder/test/support.ts'
import { program } from './support.ts'

/** Against a program that never ends: far more than a refusal takes. */
const PATIENCE = 600_000

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
const problem = 'config.json: num_hidden_layers is 10000000, but'

const model = writeFiles(path('model'), {
  'config.json': { ...bertConfig, num_hidden_layers: 10_000_000 },
  'vocab.txt': vocabulary.join('\n'),
  'model.safetensors': safetensors(randomWeights(bertNames(''), 8), 'F32'),
})

test('kith encode refuses a model of ten million layers', () => {
  writeFileSync(path('texts.jsonl'), '{"_id": "a", "text": "dense"}\n')
  const args = ['encode', '--model', model, '--pooling', 'mean', '--input', path('texts.jsonl')]
  const { status, stderr } = spawnSync(
    process.execPath,
    [program, ...args, '--out', path('x.npy')],
    { encoding: 'utf8', timeout: PATIENCE, killSignal: 'SIGKILL' },
  )
  expect(stderr).toContain(problem)
  expect(status).toBe(1)
})

test('openEncoderModel refuses a model of ten million layers', async () => {
  await expect(openEncoderModel(model, { pooling: 'mean' })).rejects.toThrow(problem)
})
