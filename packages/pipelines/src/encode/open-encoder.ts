import { optionalPackage } from '@kith/base'
import type { Encoder, EncoderOptions } from '@kith/encoder'
import type { Hooks } from '../job/hooks.ts'
import { jobDefaults } from '../job/job-defaults.ts'

/** An encoder, and the name and options that tell it from others. */
export interface NamedEncoder {
  encoder: Encoder
  model: Readonly<Record<string, unknown>>
}

/** Loads the encoder of a name, downloading it first where it is on the hub. */
export async function openEncoder(
  inputs: Omit<EncoderOptions, 'onDownload'> & { model?: string | undefined },
  hooks: Hooks = {},
): Promise<NamedEncoder> {
  const { model: name = jobDefaults.model, pooling, normalize, maxTokens, threads } = inputs
  const { queryPrefix, documentPrefix, revision, quantize } = inputs
  const chosen = { pooling, normalize, maxTokens, queryPrefix, revision, documentPrefix, quantize }
  const { loadEncoder } = await optionalPackage(
    'encoding needs',
    '@kith/encoder',
    () => import('@kith/encoder'),
  )
  const onDownload = downloadRemarks(hooks)
  const encoder = await loadEncoder(name, { ...chosen, threads, onDownload })
  return { encoder, model: { model: name, ...chosen } }
}

/** Remarks on how far a model's files are downloaded, one for each percent. */
export function downloadRemarks({
  onRemark,
}: Hooks): (file: string, bytes: number, total: number) => void {
  let shown = ''
  return (file, bytes, total) => {
    const line = `downloading ${file}: ${Math.floor((100 * bytes) / Math.max(1, total))} %`
    if (line !== shown) onRemark?.(line)
    shown = line
  }
}
