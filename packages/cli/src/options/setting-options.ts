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
} from '@kith/core'
import { readTuned, type Tuned } from '@kith/tune'
import type { Options, Values } from './command.ts'
import type { textOptions } from './shared-options.ts'
import { UsageError } from './usage-error.ts'
import { isSet, optionalChoice, optionalNumber, optionalText } from './values.ts'

/** The method's settings as options. */
export const settingOptions = {
  preset: { value: 'NAME', help: 'settings to start from', default: 'balanced' },
  context: { value: 'N', help: 'how many first candidates are reordered', default: '50' },
  k: { value: 'N', help: 'nearest neighbours of a document', default: '10' },
  'k-exp': {
    value: 'N',
    help: 'neighbours that a neighbour vector is averaged over',
    default: '4',
  },
  trust: { value: 'T', help: 'how far reciprocal sets are extended, 0 to 1', default: '0' },
  overlap: {
    value: 'O',
    help: 'what part of an extending set must overlap, 0 to 1',
    default: '2/3',
  },
  lambda: { value: 'L', help: 'share of the geometric similarity, 0 to 1', default: '0.7' },
  weight: { value: 'KIND', help: 'neighbour weights: linear, exp, binary', default: 'linear' },
  'weight-parameter': { value: 'P', help: 'parameter of exp weights', default: '1' },
  'row-scaling': {
    value: 'KIND',
    help: 'scaling of similarities: none, max, mean',
    default: 'none',
  },
  metric: { value: 'NAME', help: 'dot or cosine', default: 'dot' },
  mix: { value: 'KIND', help: 'raw or standard', default: 'standard' },
  'texts-weights': {
    value: 'SCORE,GRAPH',
    help: 'what the texts count for in score and graph',
    default: '0.2,0.3',
  },
} satisfies Options

/** The settings that the options name, completed by a preset and checked. */
export function readSettings(values: Values<typeof settingOptions>): Settings {
  return resolveSettings(similarityOf(values), presetOf<Settings>(values, presets))
}

/** The settings of reranking by any method. */
export const methodOptions = {
  method: {
    value: 'NAME',
    help: `how to rerank: ${methods.join(', ')}`,
    default: 'neighbours',
  },
  'feedback-docs': {
    value: 'N',
    help: 'first candidates that average and rocchio trust',
    default: '3',
  },
  'feedback-weight': { value: 'W', help: 'their weight in rocchio’s vector', default: '0.1' },
  smoothness: { value: 'S', help: 'share of the neighbours’ scores in regularise', default: '0.3' },
  'rrf-k': { value: 'K', help: 'added to ranks in rrf (reciprocal rank fusion)', default: '60' },
  ...settingOptions,
} satisfies Options

/** A method and the settings that the options name. */
export function readMethodSettings(values: Values<typeof methodOptions>): MethodSettings {
  return resolveMethodSettings({
    ...readSettings(values),
    method: optionalChoice(values, 'method', methods),
    feedbackDocs: optionalNumber(values, 'feedback-docs'),
    feedbackWeight: optionalNumber(values, 'feedback-weight'),
    smoothness: optionalNumber(values, 'smoothness'),
    rrfK: optionalNumber(values, 'rrf-k'),
  })
}

/** The settings of label smoothing as options. */
export const labelSettingOptions = {
  ...settingOptions,
  context: { value: 'N', help: 'how many documents a context has', default: '50' },
  target: {
    value: 'KIND',
    help: 'what labels are made of: mixed, rnn, geometric, joint, one-hot, uniform, query-centric',
    default: 'mixed',
  },
  aggregate: {
    value: 'KIND',
    help: 'over several relevant documents: mean, max, sum',
    default: 'mean',
  },
  normalise: { value: 'KIND', help: 'of the evidence: maxmin, std, max, none', default: 'maxmin' },
  'normalise-over': { value: 'WHAT', help: 'context, or kept', default: 'context' },
  'max-labelled': { value: 'N', help: 'documents with a label above 0', default: '4' },
  boost: { value: 'B', help: 'factor of the relevant documents’ evidence', default: '1.222' },
  epsilon: {
    value: 'E',
    help: 'of the uniform target: a number, or match-mixed',
    default: 'match-mixed',
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
    normalise: optionalText(values, 'normalise') as LabelSettings['normalise'],
    normaliseOver: optionalText(values, 'normalise-over') as LabelSettings['normaliseOver'],
    maxLabelled: optionalNumber(values, 'max-labelled'),
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
  return presets[optionalChoice(values, 'preset', Object.keys(presets)) ?? 'balanced']!
}

function similarityOf(values: Values<typeof settingOptions>): PartialSettings {
  return {
    contextSize: optionalNumber(values, 'context'),
    k: optionalNumber(values, 'k'),
    kExp: optionalNumber(values, 'k-exp'),
    trust: optionalNumber(values, 'trust'),
    overlap: optionalNumber(values, 'overlap'),
    lambda: optionalNumber(values, 'lambda'),
    weight: optionalChoice(values, 'weight', ['linear', 'exp', 'binary']),
    weightParameter: optionalNumber(values, 'weight-parameter'),
    rowScaling: optionalChoice(values, 'row-scaling', ['none', 'max', 'mean']),
    metric: optionalChoice(values, 'metric', ['dot', 'cosine']),
    mix: optionalChoice(values, 'mix', ['raw', 'standard']),
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

/** What `kith tune` found, where texts are at hand if it was found with texts. */
export async function readTunedSettings(
  values: TunedValues & Values<typeof textOptions>,
): Promise<Tuned | undefined> {
  const tuned = await readTunedFile(values)
  if (tuned?.texts && values['corpus'] === undefined && values['query-text'] === undefined) {
    throw new UsageError('these settings were tuned with texts: give --corpus and --query-text')
  }
  return tuned
}

/** What `kith tune` found; settings on the command line would be other ones. */
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
