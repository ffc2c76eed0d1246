import { join } from 'node:path'
import { findTensors, type Value, writeModelFiles } from '@kith/encoder/internal'
import { readTensorBytes, type WrittenTensor, writeTensors } from '@kith/ir/safetensors'
import type { EncoderModel } from './encoder-model.ts'

/**
 * Writes a trained encoder in the layout of its base: `model.safetensors` with the
 * same names, config, tokenizer and pooling. Tensors that the encoder does not use
 * (poolers, heads) are passed on as they are.
 */
export async function saveEncoder(model: EncoderModel, folder: string): Promise<void> {
  const { checkpoint, weights, shapes } = model
  const parameters = [...shapes].map(([name, shape]) => ({ name, shape }) as unknown as Value)
  const { wanted, all } = await findTensors(checkpoint.weights, parameters)
  const ours = new Map(wanted.map(({ name, tensor }) => [tensor.name, name]))
  const tensors: WrittenTensor[] = []
  for (const tensor of all) {
    const name = ours.get(tensor.name)
    const { shape, dtype } = tensor
    if (name) tensors.push({ name: tensor.name, shape, data: weights.get(name)! })
    else tensors.push({ name: tensor.name, shape, dtype, data: await readTensorBytes(tensor) })
  }
  await writeModelFiles(checkpoint, folder)
  await writeTensors(join(folder, 'model.safetensors'), tensors)
}
