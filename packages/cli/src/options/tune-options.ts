import { methods } from '@kith/core/internal'
import { methodsOf } from '@kith/pipelines/job'
import type { TuneInputs } from '@kith/pipelines/tune'
import { tuneDefaults } from '@kith/tune/internal'
import { type Options, rare, type Values } from './command.ts'
import { judgedOptions } from './judged-options.ts'
import { settingOptions } from './setting-options.ts'
import { optionalText } from './values.ts'

/** The options of `kith tune`. */
export const tuneOptions = {
  ...judgedOptions,
  out: {
    value: 'FILE',
    file: 'output',
    help: 'output file for settings, evidence and verdict (JSON)',
    required: true,
  },
  trials: {
    value: 'N',
    help: 'number of settings to try per fold',
    default: String(tuneDefaults.trials),
  },
  folds: {
    value: 'N',
    help: 'number of folds for cross-validation',
    default: String(tuneDefaults.folds),
  },
  seed: { value: 'N', help: 'random seed of folds and trials', default: String(tuneDefaults.seed) },
  study: {
    value: 'FILE',
    file: 'output',
    help: 'file that keeps finished trials, to resume from',
    default: 'OUT.study.jsonl',
  },
  methods: {
    value: 'LIST',
    help: `methods to choose from, separated by commas, or all: ${methods.join(', ')}`,
    default: 'neighbors',
  },
  ...rare(settingOptions, 'preset', 'set'),
} satisfies Options

/** Reads the methods that --methods lets `kith tune` choose from. */
export function readMethods(values: Values<typeof tuneOptions>): TuneInputs['methods'] {
  const list = optionalText(values, 'methods')
  const methods = list === 'all' ? list : list?.split(',').map((name) => name.trim())
  return methodsOf({ methods, corpus: optionalText(values, 'corpus') })
}
