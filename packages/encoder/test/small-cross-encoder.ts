import { bertConfig, bertNames, randomHead, randomWeights, vocabulary } from './small-models.ts'
import { safetensors, writeFiles } from './support.ts'

/** Writes a random cross-encoder of two small layers, which takes pairs of 24 tokens; returns its folder. */
export function writeSmallCrossEncoder(folder: string): string {
  const tensors = {
    ...randomWeights(bertNames('bert.'), 3),
    ...randomHead(['bert.pooler.dense', 'classifier'], 4),
  }
  return writeFiles(folder, {
    'config.json': bertConfig,
    'vocab.txt': vocabulary.join('\n'),
    'model.safetensors': safetensors(tensors, 'F32'),
  })
}
