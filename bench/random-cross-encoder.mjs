/**
 * A checkpoint of the layout of cross-encoder/ms-marco-MiniLM-L-6-v2 (6 layers of 384 numbers, a head of
 * one score, MiniLM's vocabulary, 512 tokens) with random weights: it takes as long as the real one,
 * and its scores mean nothing.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { counterWords, fraction } from '@kith/base/random'
import { writeTensors } from '@kith/base/safetensors'
import { openModel } from '@kith/encoder'
import { families, readTokenizerFiles } from '@kith/encoder/internal'

/** Writes the files of the checkpoint into a folder, whose name it returns. */
export async function writeRandomCrossEncoder(folder) {
  const { files } = await openModel('minilm')
  const config = readFileSync(join(files.folder, 'config.json'), 'utf8')
  const { description, config: settings } = await readTokenizerFiles(files.folder)
  const texts = {
    'config.json': config,
    'tokenizer.json': JSON.stringify(description),
    'tokenizer_config.json': JSON.stringify({ ...settings, model_max_length: 512 }),
  }
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text)
  await writeTensors(join(folder, 'model.safetensors'), randomWeights(JSON.parse(config)))
  return folder
}

function randomWeights(config) {
  const { hidden_size: hidden, intermediate_size: intermediate } = config
  const { words, norm, layer, score } = families.bert
  const source = counterWords(1, 0x6d2b79f5)
  const tensors = []
  const add = (name, shape, center = 0) => {
    const length = shape.reduce((product, size) => product * size, 1)
    const value = () => center + (fraction(source) - 0.5) / 16
    tensors.push({ name, shape, data: Float32Array.from({ length }, value) })
  }
  const dense = (name, out, width) => {
    add(`${name}.weight`, [out, width])
    add(`${name}.bias`, [out])
  }
  const normalize = (name) => {
    add(`bert.${name}.weight`, [hidden], 1)
    add(`bert.${name}.bias`, [hidden])
  }
  add(`bert.${words}`, [config.vocab_size, hidden])
  add('bert.embeddings.position_embeddings.weight', [config.max_position_embeddings, hidden])
  add('bert.embeddings.token_type_embeddings.weight', [config.type_vocab_size, hidden])
  normalize(norm)
  for (let i = 0; i < config.num_hidden_layers; i++) {
    const own = layer(i)
    for (const name of [...own.projections, own.attentionOutput]) {
      dense(`bert.${name}`, hidden, hidden)
    }
    dense(`bert.${own.up}`, intermediate, hidden)
    dense(`bert.${own.down}`, hidden, intermediate)
    normalize(own.attentionNorm)
    normalize(own.outputNorm)
  }
  dense(`bert.${score.dense}`, hidden, hidden)
  dense(score.out, 1, hidden)
  return tensors
}
