import type { Output } from './output.ts'
import type { Shard } from './shard.ts'
import { digestedInputs, type Input, inputsOf } from './sidecar.ts'

/** The inputs of labels as their sidecar names them: those of a share with digests, which `kith labels merge` compares. */
export function labelInputs(
  files: readonly string[],
  embeddings: readonly string[],
  { count }: Shard,
  output: Output,
): Promise<Input[]> {
  if (count === 1) return inputsOf(files)
  output.remark('reading the inputs for their digests …')
  return digestedInputs(files, embeddings)
}
