import { labelFormats, labelValues, labelWork, layoutOf } from '@kith/pipelines/job'
import type { DistilInputs, LabelInputs } from '@kith/pipelines/labels'
import type { Options, Values } from './command.ts'
import { readDistilSettings, targetOption } from './distil-options.ts'
import { labelSettingOptions, readLabelSettings } from './setting-options.ts'
import {
  joinOptions,
  levelOption,
  readJoinOptions,
  readMissing,
  readShard,
  readTexts,
  shardOption,
  textOptions,
} from './shared-options.ts'
import { readSource, storeOption, submitOption } from './store-options.ts'
import { UsageError } from './usage-error.ts'
import { isSet, neededFile, optionalChoice, optionalText, optionalWhole, text } from './values.ts'

/** The options of `kith labels`. */
export const labelOptions = {
  run: {
    value: 'FILE',
    file: 'input',
    help: 'run with the candidates of the training queries',
    required: true,
  },
  queries: { value: 'FILE', file: 'input', help: 'query embeddings' },
  docs: {
    value: 'FILE',
    file: 'input',
    help: 'document embeddings (default: the vectors of a run in Parquet)',
  },
  ...storeOption,
  qrels: { value: 'FILE', file: 'input', help: 'relevance judgments' },
  out: { value: 'FILE', file: 'output', help: 'output file for the labels' },
  ...submitOption,
  ...levelOption,
  format: {
    value: 'NAME',
    help: 'output format; formats with texts accept :probability or :logit after the name, such as listwise:logit',
    default: 'from the extension of --out, or jsonl',
  },
  negatives: {
    value: 'N',
    help: 'number of negatives per row in formats with texts, never judged relevant; queries with fewer are left out',
    default: '2 × (labelDepth − 1), at most half of contextSize; 4 for hard-negatives',
  },
  ...textOptions,
  texts: { help: 'compare documents by their texts, too (needs --corpus and --query-text)' },
  ...shardOption,
  ...labelSettingOptions,
  ...targetOption,
  ...joinOptions('queries or documents'),
} satisfies Options

/** The preset whose evidence needs texts. */
const WITH_TEXTS = 'joint-texts'

/** The inputs of `--target distil`; undefined for other targets. */
export async function readDistilInputs(
  values: Values<typeof labelOptions>,
): Promise<DistilInputs | undefined> {
  const settings = await readDistilSettings(values)
  if (!settings) return undefined
  const unused = (['queries', 'docs', 'store', 'qrels', 'texts', 'submit'] as const).find(
    (name) => values[name] !== undefined,
  )
  if (unused !== undefined) {
    throw new UsageError(
      `--target distil takes labels from the scores of --run; leave out --${unused}`,
    )
  }
  const layout = readLayout(values)
  layoutOf({ ...layout, out: values.out ?? '' }, 1)
  return {
    ...settings,
    ...readTexts(values),
    ...layout,
    run: text(values, 'run'),
    out: neededFile(values, 'out'),
    missing: readMissing(values),
    shard: readShard(values),
  }
}

/** The values of `labelOptions`; --out is given, or no file is written. */
export async function readLabelInputs(
  values: Values<typeof labelOptions>,
): Promise<{ inputs: LabelInputs; recipe: string }> {
  const source = readSource(values)
  const texts = isSet(values, 'texts') || optionalText(values, 'preset') === WITH_TEXTS
  const { settings, recipe } = await readLabelSettings(values, { texts })
  const inputs: LabelInputs = {
    ...source,
    ...readTexts(values, source),
    ...readJoinOptions(values),
    run: text(values, 'run'),
    queries: neededFile(values, 'queries'),
    qrels: neededFile(values, 'qrels'),
    out: text(values, 'out'),
    texts,
    level: optionalWhole(values, 'level'),
    settings,
    ...readLayout(values),
    shard: readShard(values),
  }
  labelWork(inputs, 'store' in source)
  return { inputs, recipe }
}

/** How labels are written. */
function readLayout(
  values: Values<typeof labelOptions>,
): Pick<LabelInputs, 'format' | 'values' | 'negatives'> {
  const [format, kind, ...more] = optionalText(values, 'format')?.split(':') ?? []
  const isKind = kind === undefined || (labelValues as readonly string[]).includes(kind)
  if (!isKind || more.length > 0) {
    const problem = `takes ${labelValues.join(' or ')} after the colon`
    throw new UsageError(`--format ${problem}, got ${JSON.stringify(values.format)}`)
  }
  return {
    format: optionalChoice({ format }, 'format', labelFormats),
    values: kind as LabelInputs['values'],
    negatives: optionalWhole(values, 'negatives'),
  }
}
