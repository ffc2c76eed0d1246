import { type PartialSettings, type PresetName, presets, type Settings } from '@kith/core'
import type { Options, Values } from './command.ts'
import { UsageError } from './usage-error.ts'
import { optionalChoice, optionalNumber, optionalText } from './values.ts'

/** The method's settings as options. */
export const settingOptions: Options = {
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
  scale: { value: 'KIND', help: 'scaling of similarities: none, max, mean', default: 'none' },
  metric: { value: 'NAME', help: 'dot or cosine', default: 'dot' },
  mix: { value: 'KIND', help: 'raw or standard', default: 'standard' },
  'text-weights': {
    value: 'SCORE,GRAPH',
    help: 'what the words count for in score and graph',
    default: '0.2,0.3',
  },
}

/** The settings that the options name; core checks their ranges. */
export function readSettings(values: Values): Settings {
  const preset = optionalChoice(values, 'preset', Object.keys(presets) as PresetName[])
  const given: PartialSettings = {
    contextSize: optionalNumber(values, 'context'),
    k: optionalNumber(values, 'k'),
    kExp: optionalNumber(values, 'k-exp'),
    trust: optionalNumber(values, 'trust'),
    overlap: optionalNumber(values, 'overlap'),
    lambda: optionalNumber(values, 'lambda'),
    weight: optionalChoice(values, 'weight', ['linear', 'exp', 'binary']),
    weightParameter: optionalNumber(values, 'weight-parameter'),
    scale: optionalChoice(values, 'scale', ['none', 'max', 'mean']),
    metric: optionalChoice(values, 'metric', ['dot', 'cosine']),
    mix: optionalChoice(values, 'mix', ['raw', 'standard']),
    views: textWeights(values),
  }
  const settings: Settings = { ...presets[preset ?? 'balanced'] }
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) Object.assign(settings, { [name]: value })
  }
  return settings
}

function textWeights(values: Values): Settings['views'] {
  const given = optionalText(values, 'text-weights')
  if (given === undefined) return undefined
  const [score, graph, ...rest] = given.split(',').map(Number)
  if (score === undefined || graph === undefined || rest.length > 0) {
    throw new UsageError(`--text-weights takes two numbers such as 0.2,0.3, not ${given}`)
  }
  return { vectors: { score: 1 - score, graph: 1 - graph }, texts: { score, graph } }
}
