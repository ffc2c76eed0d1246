import type { ThenCrossEncode } from '@kith/pipelines/rerank'
import type { Options, Values } from './command.ts'
import type { textOptions } from './shared-options.ts'
import { UsageError } from './usage-error.ts'
import { optionalText, optionalWhole } from './values.ts'

/** A cross-encoder that follows the ranking. */
export const crossEncoderOptions = {
  'then-cross-encode': {
    value: 'N',
    help: 'put the first N documents of each query in order by a cross-encoder, which reads their texts',
  },
  'cross-encoder': {
    value: 'MODEL',
    file: 'input',
    help: 'for --then-cross-encode: a folder, or a name on the hub such as cross-encoder/ms-marco-MiniLM-L-6-v2',
  },
} satisfies Options

/** The cross-encoder that the options name, if they name one; it needs texts. */
export function readThenCrossEncode(
  values: Values<typeof crossEncoderOptions & typeof textOptions>,
  source: { docs: string } | { store: string },
): ThenCrossEncode | undefined {
  const first = optionalWhole(values, 'then-cross-encode')
  const model = optionalText(values, 'cross-encoder')
  if (first === undefined && model === undefined) return undefined
  if (first === undefined || model === undefined) {
    throw new UsageError('--then-cross-encode N and --cross-encoder MODEL go together')
  }
  // That --corpus and --query-text go together is checked before; a store has the documents' texts.
  if (values['query-text'] === undefined) {
    const needed = 'store' in source ? '--query-text' : '--corpus and --query-text'
    throw new UsageError(`--then-cross-encode reads texts: give ${needed}`)
  }
  return { model, first }
}
