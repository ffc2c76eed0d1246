import { KithError } from './error.ts'
import type { KernelName } from './kernel/engine.ts'
import { presets } from './presets.ts'

/** How a neighbour's similarity becomes its weight (METHOD.md section 3). */
export type Weight = 'linear' | 'exp' | 'binary'

/** How the rows of S are scaled before anything else (METHOD.md section 1). */
export type Scale = 'none' | 'max' | 'mean'

/** What a view counts for in the neighbourhood graph and in the geometric term. */
export interface ViewWeights {
  graph: number
  score: number
}

/** The method's settings, each with its symbol in METHOD.md. */
export interface Settings {
  /** N: how many of the first candidates form the context; the others keep their order behind them. 1 to 16,384. */
  contextSize: number
  /** k: how many nearest neighbours a row has, besides the usual first, itself. At least 1. */
  k: number
  /** k_exp: over how many nearest neighbours a neighbour vector is averaged; 0 and 1 leave it as it is. */
  kExp: number
  /** τ: how far the reciprocal sets are extended, from 0 (not at all) to 1. */
  trust: number
  /** o: what part of an extending set must lie in the extended one, from 0 to 1. */
  overlap: number
  /** λ: the geometric similarity's share of the mix, from 0 to 1. */
  lambda: number
  weight: Weight
  /** p of the `exp` weights, above 0 and at most 100. */
  weightParameter: number
  scale: Scale
  /** The inner product, or the cosine. With several views the graph always uses the cosine. */
  metric: 'dot' | 'cosine'
  /** `raw` is λ·S + (1 − λ)·s_J; `standard` standardises both terms over the candidates first. */
  mix: 'raw' | 'standard'
  /**
   * The weights of the views by name: `vectors`, `texts`, and the names of further
   * vector views. Each kind of weight sums to 1; a view that is not named counts 0.
   */
  views?: Readonly<Record<string, ViewWeights>> | undefined
  /** Forces a kernel, for tests; by default the fastest one that runs here. */
  kernel?: KernelName | undefined
}

/** Settings that differ from the default; `undefined` leaves the default. */
export type PartialSettings = { [Name in keyof Settings]?: Settings[Name] | undefined }

interface Range {
  from: number
  to: number
  integer?: boolean
  /** The lower bound itself is not allowed. */
  above?: boolean
}

const ranges: Record<string, Range> = {
  contextSize: { from: 1, to: 16_384, integer: true },
  k: { from: 1, to: 16_384, integer: true },
  kExp: { from: 0, to: 16_384, integer: true },
  trust: { from: 0, to: 1 },
  overlap: { from: 0, to: 1 },
  lambda: { from: 0, to: 1 },
  weightParameter: { from: 0, to: 100, above: true },
}

const choices: Record<string, readonly string[]> = {
  weight: ['linear', 'exp', 'binary'],
  scale: ['none', 'max', 'mean'],
  metric: ['dot', 'cosine'],
  mix: ['raw', 'standard'],
  kernel: ['relaxed-simd', 'simd', 'typescript'],
}

/** Completes settings with others, by default `balanced`, and checks each one's range. */
export function resolveSettings(
  settings: PartialSettings = {},
  others: Settings = presets.balanced,
): Settings {
  if (typeof settings !== 'object' || settings === null) {
    throw new KithError('BAD_INPUT', `settings must be an object, not ${show(settings)}`)
  }
  const resolved: Record<string, unknown> = { ...others }
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined) continue
    checkSetting(name, value)
    resolved[name] = value
  }
  return resolved as unknown as Settings
}

function checkSetting(name: string, value: unknown): void {
  if (Object.hasOwn(ranges, name)) checkRange(name, value, ranges[name]!)
  else if (Object.hasOwn(choices, name)) checkChoice(name, value, choices[name]!)
  else if (name === 'views') checkViews(value)
  else {
    const known = [...Object.keys(ranges), ...Object.keys(choices), 'views']
    throw new KithError('BAD_SETTING', `unknown setting ${show(name)}, known: ${known.join(', ')}`)
  }
}

function checkChoice(name: string, value: unknown, allowed: readonly string[]): void {
  if (typeof value === 'string' && allowed.includes(value)) return
  const choice = allowed.join(', ')
  throw new KithError('BAD_SETTING', `setting ${name} is ${show(value)}, allowed: ${choice}`)
}

function checkRange(name: string, value: unknown, { from, to, integer, above }: Range): void {
  const fits =
    typeof value === 'number' &&
    value <= to &&
    (above ? value > from : value >= from) &&
    (!integer || Number.isInteger(value))
  if (fits) return
  const kind = integer ? 'a whole number' : 'a number'
  const allowed = above ? `${kind} above ${from}, at most ${to}` : `${kind} from ${from} to ${to}`
  throw new KithError('BAD_SETTING', `setting ${name} is ${show(value)}, allowed: ${allowed}`)
}

function checkViews(views: unknown): void {
  if (typeof views !== 'object' || views === null) {
    throw new KithError(
      'BAD_SETTING',
      `setting views is ${show(views)}, allowed: weights by view name`,
    )
  }
  for (const kind of ['graph', 'score'] as const) {
    let sum = 0
    for (const [name, weights] of Object.entries(views as Record<string, Partial<ViewWeights>>)) {
      checkRange(`views.${name}.${kind}`, weights?.[kind], { from: 0, to: 1 })
      sum += weights[kind] as number
    }
    // Decimal fractions such as 0.7 + 0.2 + 0.1 miss 1 by a rounding error.
    if (Math.abs(sum - 1) > 1e-9) {
      throw new KithError(
        'BAD_SETTING',
        `the ${kind} weights of views sum to ${sum}, must sum to 1`,
      )
    }
  }
}

function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
