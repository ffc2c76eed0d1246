import { labelFormats, labelValues } from '@kith/pipelines/job'
import type { DistilInputs, LabelInputs, Shard } from '@kith/pipelines/labels'
import type { Options, Values } from './command.ts'
import { readDistilSettings, targetOption } from './distil-options.ts'
import { labelSettingOptions, readLabelSettings } from './setting-options.ts'
import {
  joinOptions,
  levelOption,
  readJoinOptions,
  readMissing,
  readTexts,
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
    help: 'candidates of the training queries',
    required: true,
  },
  queries: { value: 'FILE', file: 'input', help: 'embeddings of the queries' },
  docs: { value: 'FILE', file: 'input', help: 'embeddings of the documents' },
  ...storeOption,
  qrels: { value: 'FILE', file: 'input', help: 'judgments' },
  out: { value: 'FILE', file: 'output', help: 'the labels to write' },
  ...submitOption,
  ...levelOption,
  format: {
    value: 'NAME',
    help: 'how labels are written; with texts also their values, probability or logit (whose softmax it is), such as listwise:logit',
    default: 'by the ending of --out, else jsonl',
  },
  negatives: {
    value: 'N',
    help: 'negatives per row in formats with texts, never judged relevant; queries with fewer are left out',
    default: '2 × (labelDepth − 1), at most half the context',
  },
  ...textOptions,
  texts: { help: 'let the texts count too when documents are compared (needs the texts)' },
  shard: {
    value: 'I/N',
    help: 'do one share of the queries, such as 3/16',
    default: 'all of them',
  },
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
    throw new UsageError(`--target distil takes the scores of --run: leave out --${unused}`)
  }
  return {
    ...settings,
    ...readTexts(values),
    ...readLayout(values),
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
  return { inputs, recipe }
}

/** How labels are written. */
function readLayout(
  values: Values<typeof labelOptions>,
): Pick<LabelInputs, 'format' | 'values' | 'negatives'> {
  const [format, kind, ...more] = optionalText(values, 'format')?.split(':') ?? []
  const isKind = kind === undefined || (labelValues as readonly string[]).includes(kind)
  if (!isKind || more.length > 0) {
    const problem = `takes ${labelValues.join(' or ')} behind the colon`
    throw new UsageError(`--format ${problem}, not ${JSON.stringify(values.format)}`)
  }
  return {
    format: optionalChoice({ format }, 'format', labelFormats),
    values: kind as LabelInputs['values'],
    negatives: optionalWhole(values, 'negatives'),
  }
}

/** The share that `--shard` names. */
function readShard(values: Values<typeof labelOptions>): Shard {
  const given = optionalText(values, 'shard') ?? '1/1'
  const match = /^(\d{1,6})\/(\d{1,6})$/.exec(given)
  const [index, count] = [Number(match?.[1]), Number(match?.[2])]
  if (index >= 1 && index <= count) return { index, count }
  throw new UsageError(`--shard takes a share such as 3/16, not ${JSON.stringify(given)}`)
}
