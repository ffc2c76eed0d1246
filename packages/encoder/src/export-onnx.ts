import { join } from 'node:path'
import { writeAtomic } from '@kith/base'
import { asCheckpoint, type ModelOptions, openModel } from './model/model.ts'
import { writeModelFiles } from './model/model-files.ts'
import { buildModel, HIDDEN } from './network/build-model.ts'

/**
 * Writes a checkpoint as `onnx/model.onnx`, weights inside, from `input_ids` and
 * `attention_mask` to `last_hidden_state`, with its config, tokenizer and pooling
 * beside it: the layout that transformers.js and others load.
 */
export async function exportOnnx(
  name: string,
  folder: string,
  options: ModelOptions = {},
): Promise<void> {
  const model = asCheckpoint(await openModel(name, options))
  await writeModelFiles(model, folder)
  const onnx = await buildModel(model, HIDDEN)
  await writeAtomic(join(folder, 'onnx', 'model.onnx'), async (write) => {
    for (const part of onnx.parts()) await write(part)
  })
}
