import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { FileError } from '@kith/base'
import { readTensorList, readTensors, type StoredTensor } from '@kith/base/safetensors'
import type { Value } from '../graph/graph.ts'
import { isObject, readJson } from '../json.ts'
import { wordTables } from './families.ts'

/** The weights of a graph's parameters, by name. */
export type Weights = ReadonlyMap<string, Float32Array>

/**
 * Returns the file with a checkpoint's weights, or the index of several files; undefined if there
 * is none.
 */
export function findWeights(folder: string): string | undefined {
  return ['model.safetensors', 'model.safetensors.index.json']
    .map((name) => join(folder, name))
    .find((file) => existsSync(file))
}

/** The tensors of a checkpoint by name, and the prefix of the encoder's names. */
export interface TensorIndex {
  stored: ReadonlyMap<string, StoredTensor>
  prefix: string
}

/** Reads the list of a checkpoint's tensors, without their numbers. */
export async function indexTensors(file: string): Promise<TensorIndex> {
  const stored = new Map<string, StoredTensor>()
  for (const shard of await shardsOf(file)) {
    for (const tensor of readTensorList(shard)) stored.set(tensor.name, tensor)
  }
  return { stored, prefix: prefixOf(file, [...stored.keys()]) }
}

/** Finds the tensors of a checkpoint that a graph needs, and lists its other tensors. */
export async function findTensors(
  file: string,
  parameters: readonly Value[],
): Promise<{ wanted: { name: string; tensor: StoredTensor }[]; all: StoredTensor[] }> {
  const { stored, prefix } = await indexTensors(file)
  const wanted = parameters.map((parameter) => {
    const tensor = spellings(parameter.name)
      // Heads are stored beside the encoder, not under its prefix.
      .flatMap((name) => [stored.get(prefix + name), stored.get(name)])
      .find((found) => found !== undefined)
    if (!tensor) {
      throw new FileError(file, '', `has no tensor ${prefix}${parameter.name}`)
    }
    if (tensor.shape.join() !== parameter.shape.join()) {
      const problem = `expected the shape ${parameter.shape.join(' × ')} (from config.json), got ${tensor.shape.join(' × ')}`
      throw new FileError(tensor.file, `tensor ${tensor.name}`, problem)
    }
    return { name: parameter.name, tensor }
  })
  return { wanted, all: [...stored.values()] }
}

/**
 * Reads the weights that a graph needs from a safetensors file, or from the files
 * that an index names. Other tensors (poolers, heads) are not read.
 */
export async function readWeights(file: string, parameters: readonly Value[]): Promise<Weights> {
  const { wanted } = await findTensors(file, parameters)
  const weights = new Map<string, Float32Array>()
  for (const shard of new Set(wanted.map(({ tensor }) => tensor.file))) {
    const here = wanted.filter(({ tensor }) => tensor.file === shard)
    const tensors = here.map(({ tensor }) => tensor)
    const read = await readTensors(shard, tensors)
    here.forEach(({ name }, i) => {
      weights.set(name, read[i]!)
    })
  }
  return weights
}

/** Returns the names under which a parameter may be stored: old checkpoints use gamma and beta. */
function spellings(name: string): string[] {
  if (!name.includes('LayerNorm')) return [name]
  return [name, name.replace(/weight$/, 'gamma').replace(/bias$/, 'beta')]
}

/**
 * Returns the prefix of all names, such as `bert.`: the encoder may be a part of a larger model.
 */
function prefixOf(file: string, names: string[]): string {
  const found = names.flatMap((name) => {
    const table = [...wordTables].find((table) => name === table || name.endsWith(`.${table}`))
    return table ? [{ name, prefix: name.slice(0, -table.length) }] : []
  })
  if (found.length === 1) return found[0]!.prefix
  const problem =
    found.length === 0
      ? `has no tensor that ends in ${[...wordTables].join(' or ')}; expected the weights of a BERT-like model`
      : `contains several encoders (${found.map(({ name }) => name).join(', ')}); keep the tensors of one`
  throw new FileError(file, '', problem)
}

async function shardsOf(file: string): Promise<string[]> {
  if (!file.endsWith('.json')) return [file]
  const map = (await readJson(file))['weight_map']
  if (!isObject(map)) throw new FileError(file, '', 'has no weight_map')
  return [...new Set(Object.values(map))].map((name) => {
    const safe = typeof name === 'string' && name === basename(name) && !name.includes('\\')
    if (safe && name.endsWith('.safetensors')) return join(dirname(file), name)
    const problem = `weight_map must name .safetensors files in the same folder, got ${JSON.stringify(name)}`
    throw new FileError(file, '', problem)
  })
}
