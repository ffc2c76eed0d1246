import type { Shard } from '@kith/pipelines/internal'
import { digestedInputs, type Input, inputsOf } from '@kith/pipelines/internal'
import type { Output } from '../terminal/output.ts'

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
