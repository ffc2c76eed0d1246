import type { LabelInputs } from '@kith/pipelines'
import { labelFormats, labelValues } from '@kith/pipelines/internal/label/label-format'
import type { Options, Values } from './command.ts'
import { labelSettingOptions, readLabelSettings } from './setting-options.ts'
import { readShard, shardOption } from './shard.ts'
import {
  embeddingOptions,
  levelOption,
  missingOption,
  readEmbeddingOptions,
  readMissing,
  readTexts,
  textOptions,
  workerOption,
} from './shared-options.ts'
import { readSource, storeOption, submitOptions } from './store-options.ts'
import { isSet, optionalChoice, optionalWhole, text } from './values.ts'

/** The options of `kith labels`. */
export const labelOptions = {
  run: {
    value: 'FILE',
    file: 'input',
    help: 'candidates of the training queries',
    required: true,
  },
  queries: { value: 'FILE', file: 'input', help: 'embeddings of the queries', required: true },
  docs: { value: 'FILE', file: 'input', help: 'embeddings of the documents' },
  ...storeOption,
  qrels: { value: 'FILE', file: 'input', help: 'judgements', required: true },
  out: { value: 'FILE', file: 'output', help: 'the labels to write' },
  ...submitOptions,
  ...levelOption,
  format: {
    value: 'NAME',
    help: 'how labels are written',
    default: 'by the ending of --out, else jsonl',
  },
  'label-values': {
    value: 'KIND',
    help: 'probability, or logit (whose softmax it is), in formats with texts',
    default: 'logit for sentence-transformers, else probability',
  },
  negatives: {
    value: 'N',
    help: 'documents besides the positive one in a row for sentence-transformers; queries with fewer are left out',
    default: 'max-labelled − 1',
  },
  ...textOptions,
  texts: { help: 'let the texts count too when documents are compared (needs the texts)' },
  ...missingOption('queries or documents'),
  ...shardOption,
  ...labelSettingOptions,
  ...embeddingOptions,
  ...workerOption,
} satisfies Options

/** The values of `labelOptions`; --out is given, or no file is written. */
export function readLabelInputs(values: Values<typeof labelOptions>): LabelInputs {
  const source = readSource(values)
  return {
    ...source,
    ...readTexts(values, source),
    ...readEmbeddingOptions(values),
    run: text(values, 'run'),
    queries: text(values, 'queries'),
    qrels: text(values, 'qrels'),
    out: text(values, 'out'),
    texts: isSet(values, 'texts'),
    level: optionalWhole(values, 'level'),
    settings: readLabelSettings(values),
    format: optionalChoice(values, 'format', labelFormats),
    values: optionalChoice(values, 'label-values', labelValues),
    negatives: optionalWhole(values, 'negatives'),
    missing: readMissing(values),
    shard: readShard(values),
    workers: optionalWhole(values, 'workers'),
  }
}
