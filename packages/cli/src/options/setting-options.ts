import {
  type LabelSettings,
  labelPresets,
  type MethodSettings,
  methods,
  type PartialLabelSettings,
  type PartialSettings,
  presets,
  resolveLabelSettings,
  resolveMethodSettings,
  resolveSettings,
  type Settings,
  targets,
  tokenizerNames,
} from '@kith/core'
import { textWeights } from '@kith/core/internal'
import type { StatisticsSource } from '@kith/pipelines'
import { readTuned, type Tuned } from '@kith/tune'
import type { Options, Values } from './command.ts'
import { defaultText } from './default-text.ts'
import type { textOptions } from './shared-options.ts'
import { UsageError } from './usage-error.ts'
import { isSet, optionalChoice, optionalNumber, optionalText } from './values.ts'

/** The preset that holds without --preset. */
const DEFAULT_PRESET = 'balanced'

const usual = resolveMethodSettings(presets[DEFAULT_PRESET])
const usualLabels = labelPresets[DEFAULT_PRESET]

/** The method's settings as options. */
export const settingOptions = {
  preset: { value: 'NAME', help: 'settings to start from', default: DEFAULT_PRESET },
  'context-size': {
    value: 'N',
    help: 'how many first candidates are reordered',
    default: defaultText(usual.contextSize),
  },
  k: { value: 'N', help: 'nearest neighbors of a document', default: defaultText(usual.k) },
  'k-exp': {
    value: 'N',
    help: 'neighbors that a neighbor vector is averaged over',
    default: defaultText(usual.kExp),
  },
  trust: {
    value: 'T',
    help: 'how far reciprocal sets are extended, 0 to 1',
    default: defaultText(usual.trust),
  },
  overlap: {
    value: 'O',
    help: 'what part of an extending set must overlap, 0 to 1',
    default: defaultText(usual.overlap),
  },
  lambda: {
    value: 'L',
    help: 'share of the geometric similarity, 0 to 1',
    default: defaultText(usual.lambda),
  },
  weight: {
    value: 'KIND',
    help: 'neighbor weights: linear, exp, binary',
    default: defaultText(usual.weight),
  },
  'weight-parameter': {
    value: 'P',
    help: 'parameter of exp weights',
    default: defaultText(usual.weightParameter),
  },
  'row-scaling': {
    value: 'KIND',
    help: 'scaling of similarities: none, max, mean',
    default: defaultText(usual.rowScaling),
  },
  metric: {
    value: 'NAME',
    help: 'auto, dot or cosine; auto fits the order of the run',
    default: defaultText(usual.metric),
  },
  mix: {
    value: 'KIND',
    help: 'raw, standard, or words (standard without texts)',
    default: defaultText(usual.mix),
  },
  tokenizer: {
    value: 'KIND',
    help: `how words become terms: ${tokenizerNames.join(', ')}`,
    default: defaultText(usual.tokenizer as string),
  },
  'texts-weights': {
    value: 'SCORE,GRAPH',
    help: 'what the texts’ view counts for in score and graph',
    default: `0,${textWeights.graph}`,
  },
} satisfies Options

/** The settings that the options name, completed by a preset and checked. */
export function readSettings(values: Values<typeof settingOptions>): Settings {
  return resolveSettings(similarityOf(values), presetOf<Settings>(values, presets))
}

/** The settings of the second generation of the ranking, which needs texts. */
export const wordsOptions = {
  'bm25-weight': {
    value: 'A',
    help: 'share of the words score beside the similarity, 0 to 1',
    default: defaultText(usual.bm25Weight),
  },
  k1: {
    value: 'K1',
    help: 'of the words score: how fast a repeated term saturates',
    default: defaultText(usual.k1),
  },
  b: {
    value: 'B',
    help: 'of the words score: how much a text’s length counts, 0 to 1',
    default: defaultText(usual.b),
  },
  'neighbor-weight': {
    value: 'W',
    help: 'share of the neighbors in the score, with texts',
    default: defaultText(usual.neighborWeight),
  },
  'support-docs': {
    value: 'N',
    help: 'best candidates that support the others, with texts',
    default: defaultText(usual.supportDocs),
  },
  'support-weight': {
    value: 'W',
    help: 'share of their support in the score',
    default: defaultText(usual.supportWeight),
  },
  preselect: {
    value: 'M',
    help: 'candidates that the context is chosen from; 200 where terms of the collection are known, else 0',
  },
} satisfies Options

/** Where the words score gets the statistics of terms from. */
export const statisticsOptions = {
  'term-statistics': {
    value: 'FILE',
    file: 'input',
    help: 'what kith term-statistics counted, instead of counting --corpus or taking the store’s own',
  },
  'no-term-statistics': { help: 'count terms among each query’s candidates only' },
} satisfies Options

/** The source of term statistics that the options name. */
export function readStatisticsSource(values: Values<typeof statisticsOptions>): StatisticsSource {
  const file = optionalText(values, 'term-statistics')
  if (!isSet(values, 'no-term-statistics')) return file === undefined ? 'corpus' : { file }
  if (file !== undefined)
    throw new UsageError('--term-statistics and --no-term-statistics exclude each other')
  return 'context'
}

/** The settings of reranking by any method. */
export const methodOptions = {
  method: {
    value: 'NAME',
    help: `how to rerank: ${methods.join(', ')}`,
    default: usual.method,
  },
  'feedback-docs': {
    value: 'N',
    help: 'first candidates that rocchio trusts',
    default: defaultText(usual.feedbackDocs),
  },
  'feedback-weight': {
    value: 'W',
    help: 'their weight in rocchio’s vector',
    default: defaultText(usual.feedbackWeight),
  },
  'neighbor-rrf-k': {
    value: 'K',
    help: 'added to ranks in neighbor-rrf',
    default: defaultText(usual.neighborRrfK),
  },
  ...wordsOptions,
  ...settingOptions,
} satisfies Options

/** A method and the settings that the options name. */
export function readMethodSettings(values: Values<typeof methodOptions>): MethodSettings {
  return resolveMethodSettings({
    ...readSettings(values),
    method: optionalChoice(values, 'method', methods),
    feedbackDocs: optionalNumber(values, 'feedback-docs'),
    feedbackWeight: optionalNumber(values, 'feedback-weight'),
    neighborRrfK: optionalNumber(values, 'neighbor-rrf-k'),
    bm25Weight: optionalNumber(values, 'bm25-weight'),
    k1: optionalNumber(values, 'k1'),
    b: optionalNumber(values, 'b'),
    neighborWeight: optionalNumber(values, 'neighbor-weight'),
    supportDocs: optionalNumber(values, 'support-docs'),
    supportWeight: optionalNumber(values, 'support-weight'),
    preselect: optionalNumber(values, 'preselect'),
  })
}

/** The settings of label smoothing as options. */
export const labelSettingOptions = {
  ...settingOptions,
  'context-size': {
    value: 'N',
    help: 'how many documents a context has',
    default: defaultText(usualLabels.contextSize),
  },
  mix: { value: 'KIND', help: 'raw or standard', default: defaultText(usualLabels.mix) },
  target: {
    value: 'KIND',
    help: `what labels are made of: ${targets.join(', ')}`,
    default: defaultText(usualLabels.target),
  },
  aggregate: {
    value: 'KIND',
    help: 'over several relevant documents: mean, max, sum',
    default: defaultText(usualLabels.aggregate),
  },
  normalize: {
    value: 'KIND',
    help: 'of the evidence: maxmin, std, max, none',
    default: defaultText(usualLabels.normalize),
  },
  'normalize-over': {
    value: 'WHAT',
    help: 'context, or kept',
    default: defaultText(usualLabels.normalizeOver),
  },
  'label-depth': {
    value: 'N',
    help: 'documents per query with a label above 0; ground truth counts, and all of it gets a label',
    default: defaultText(usualLabels.labelDepth),
  },
  boost: {
    value: 'B',
    help: 'factor of the relevant documents’ evidence',
    default: defaultText(usualLabels.boost),
  },
  epsilon: {
    value: 'E',
    help: 'of the uniform target: a number, or match-mixed',
    default: defaultText(usualLabels.epsilon),
  },
  'drop-ground-truth': { help: 'let a relevant document with little evidence lose its label' },
} satisfies Options

/** The label settings that the options name, completed by a preset. */
export function readLabelSettings(values: Values<typeof labelSettingOptions>): LabelSettings {
  const epsilon = optionalText(values, 'epsilon')
  const given: PartialLabelSettings = {
    ...similarityOf(values),
    target: optionalText(values, 'target') as LabelSettings['target'],
    aggregate: optionalText(values, 'aggregate') as LabelSettings['aggregate'],
    normalize: optionalText(values, 'normalize') as LabelSettings['normalize'],
    normalizeOver: optionalText(values, 'normalize-over') as LabelSettings['normalizeOver'],
    labelDepth: optionalNumber(values, 'label-depth'),
    boost: optionalNumber(values, 'boost'),
    epsilon: epsilon === 'match-mixed' ? epsilon : optionalNumber(values, 'epsilon'),
    keepGroundTruth: isSet(values, 'drop-ground-truth') ? false : undefined,
  }
  return resolveLabelSettings(given, presetOf<LabelSettings>(values, labelPresets))
}

function presetOf<T>(
  values: Values<typeof settingOptions>,
  presets: Readonly<Record<string, T>>,
): T {
  return presets[optionalChoice(values, 'preset', Object.keys(presets)) ?? DEFAULT_PRESET]!
}

function similarityOf(values: Values<typeof settingOptions>): PartialSettings {
  return {
    contextSize: optionalNumber(values, 'context-size'),
    k: optionalNumber(values, 'k'),
    kExp: optionalNumber(values, 'k-exp'),
    trust: optionalNumber(values, 'trust'),
    overlap: optionalNumber(values, 'overlap'),
    lambda: optionalNumber(values, 'lambda'),
    weight: optionalChoice(values, 'weight', ['linear', 'exp', 'binary']),
    weightParameter: optionalNumber(values, 'weight-parameter'),
    rowScaling: optionalChoice(values, 'row-scaling', ['none', 'max', 'mean']),
    metric: optionalChoice(values, 'metric', ['auto', 'dot', 'cosine']),
    mix: optionalChoice(values, 'mix', ['raw', 'standard', 'words']),
    tokenizer: optionalChoice(values, 'tokenizer', tokenizerNames),
    views: textsWeights(values),
  }
}

function textsWeights(values: Values<typeof settingOptions>): Settings['views'] {
  const given = optionalText(values, 'texts-weights')
  if (given === undefined) return undefined
  const [score, graph, ...rest] = given.split(',').map(Number)
  if (score === undefined || graph === undefined || rest.length > 0) {
    throw new UsageError(`--texts-weights takes two numbers such as 0.2,0.3, not ${given}`)
  }
  return { vectors: { score: 1 - score, graph: 1 - graph }, texts: { score, graph } }
}

/** Settings that a tuning found, instead of those that options name. */
export const tunedOption = {
  settings: {
    value: 'FILE',
    file: 'input',
    help: 'what kith tune found: its settings instead of those below',
  },
} satisfies Options

type TunedValues = Values<typeof tunedOption & typeof methodOptions>

/** The settings that `kith tune` found (--settings), or those of the options. */
export async function readTunedOrSettings(
  values: TunedValues & Values<typeof textOptions>,
): Promise<MethodSettings> {
  return (await readTunedSettings(values))?.settings ?? readMethodSettings(values)
}

/** The result of `kith tune`; an error where it was tuned with texts and none are given. */
export async function readTunedSettings(
  values: TunedValues & Values<typeof textOptions>,
): Promise<Tuned | undefined> {
  const tuned = await readTunedFile(values)
  if (tuned?.texts && values['corpus'] === undefined && values['query-text'] === undefined) {
    throw new UsageError('these settings were tuned with texts: give --corpus and --query-text')
  }
  return tuned
}

/** The result of `kith tune`; options that name settings besides it are an error. */
export async function readTunedFile(values: TunedValues): Promise<Tuned | undefined> {
  const file = optionalText(values, 'settings')
  if (file === undefined) return undefined
  const also = (Object.keys(methodOptions) as (keyof typeof methodOptions)[]).filter(
    (name) => values[name] !== undefined,
  )
  if (also.length > 0) {
    throw new UsageError(`--settings has all settings: leave out --${also.join(', --')}`)
  }
  return readTuned(file)
}
