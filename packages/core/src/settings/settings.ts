import { KithError } from '../error.ts'
import type { KernelName } from '../kernel/engine.ts'
import type { TermStatistics } from '../text/term-statistics.ts'
import type { Tokenizer } from '../text/tokenizer.ts'
import { defaultsOf, presetOf, rulesOf } from './setting.ts'
import { type rowScalings, settingRows, type weights } from './setting-rows.ts'
import { type Rules, resolve } from './setting-rules.ts'

/** How a neighbor's similarity becomes its weight (docs/method.md section 3). */
export type Weight = (typeof weights)[number]

/** How the rows of S are scaled before anything else (docs/method.md section 1). */
export type RowScaling = (typeof rowScalings)[number]

/** The weight of a view in the neighborhood graph and in the geometric term. */
export interface ViewWeights {
  graph: number
  score: number
}

/** The method's settings, each with its symbol in docs/method.md. */
export interface Settings {
  /** N: how many of the first candidates form the context; the others keep their order behind them. 1 to 16,384. */
  contextSize: number
  /** k: how many nearest neighbors a row has, besides the usual first, itself. At least 1. */
  k: number
  /**
   * k_exp: over how many nearest neighbors a neighbor vector is averaged; 0 and 1 leave it
   * unchanged.
   */
  kExp: number
  /** τ: how far the reciprocal sets are extended, from 0 (not at all) to 1. */
  trust: number
  /** o: the part of an extending set that must lie in the extended one, from 0 to 1. */
  overlap: number
  /** λ: the geometric similarity's share of the mix, from 0 to 1. */
  lambda: number
  weight: Weight
  /** p of the `exp` weights, above 0 and at most 100. */
  weightParameter: number
  rowScaling: RowScaling
  /**
   * The inner product, the cosine, or `auto`: the one that fits the order in which the candidates
   * came (docs/method.md section 1). With several views the graph always uses the cosine.
   */
  metric: 'auto' | 'dot' | 'cosine'
  /**
   * `raw` is λ·S + (1 − λ)·s_J; `standard` standardizes both terms over the candidates first. With
   * texts, `words` adds the BM25 score, the support of the best candidates, and the query's terms
   * close together and in the title; without texts it is `standard`.
   */
  mix: 'raw' | 'standard' | 'words'
  /**
   * How words become terms: by name, or a function from a text to its terms. Without it, and with
   * `auto`, the tokenizer of `statistics`; without both, `english`.
   */
  tokenizer?: Tokenizer | undefined
  /**
   * a: the BM25 score's share beside the similarity, from 0 to 1. With `words` only, as the
   * settings below.
   */
  bm25Weight: number
  /** How fast the BM25 score saturates when a term repeats. */
  k1: number
  /** How much the BM25 score is normalized by the length of a text, from 0 to 1. */
  b: number
  /** The share of the reciprocal neighbors in the score, from 0 to 1. */
  neighborWeight: number
  /** How many of the best candidates by similarity and words support the others. */
  supportDocs: number
  /** The share of their support in the score; with `neighborWeight` at most 1. */
  supportWeight: number
  /** The weight, beside the shares above, of the query's terms that stand close together in the text, from 0 to 1. */
  windowWeight: number
  /** How many terms in a row are close together. */
  windowTerms: number
  /** The weight of the query's terms in the title, from 0 to 1. */
  titleWeight: number
  /**
   * M: from how many of the first candidates the context is chosen by similarity and words; 0 takes
   * the first candidates unchanged. Without it 200 if `statistics` are given, else 0.
   */
  preselect?: number | undefined
  /** How often terms occur in the corpus, from `termStatistics`; without it the candidates' own. */
  statistics?: TermStatistics | undefined
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

/** The rules of each setting. */
export const settingRules: Rules = rulesOf(settingRows)

/** The default settings, also the preset `balanced`. */
export const defaultSettings: Settings = defaultsOf(settingRows)

/** The paper's settings for MS MARCO. They belong to inner products around 100, not to cosines. */
/* @__NO_SIDE_EFFECTS__ */
function msmarco(
  settings: Pick<Settings, 'contextSize' | 'k' | 'kExp' | 'trust' | 'lambda'>,
): Settings {
  return presetOf(defaultSettings, { ...settings, metric: 'dot', mix: 'raw' })
}

/**
 * Named settings. `balanced` is the default; `balanced-1` and `balanced-2` are the defaults of the
 * first and the second generation, which differ if texts are given; the others are the paper's
 * (docs/method.md section 5).
 *
 * ```ts
 * rerank(query, candidates, presets['balanced-2'])
 * ```
 */
export const presets = /* @__PURE__ */ Object.freeze({
  balanced: defaultSettings,
  'balanced-1': presetOf(defaultSettings, { mix: 'standard', tokenizer: 'none' }),
  'balanced-2': presetOf(defaultSettings, { windowWeight: 0, titleWeight: 0 }),
  'msmarco-tas-b': msmarco({ contextSize: 60, k: 21, kExp: 3, trust: 0, lambda: 0.451 }),
  'msmarco-cocondenser': msmarco({ contextSize: 53, k: 21, kExp: 5, trust: 0.128, lambda: 0.469 }),
  'msmarco-coder-cocondenser': msmarco({
    contextSize: 63,
    k: 19,
    kExp: 8,
    trust: 0.5,
    lambda: 0.473,
  }),
} satisfies Record<string, Settings>)

/** The name of a preset. */
export type PresetName = keyof typeof presets

/** Completes settings with others, by default `balanced`, and checks each one's range. */
export function resolveSettings(
  settings: PartialSettings = {},
  others: Settings = defaultSettings,
): Settings {
  return checkShares(resolve(settings, others, settingRules))
}

/** Throws if two settings do not fit together. */
export function checkShares<T extends Settings>(settings: T): T {
  const { neighborWeight, supportWeight } = settings
  const sum = numberOf(neighborWeight) + numberOf(supportWeight)
  if (!(sum > 1 + 1e-9)) return settings
  throw new KithError(
    'BAD_SETTING',
    `neighborWeight and supportWeight must sum to at most 1, got ${sum}`,
  )
}

/** A number; 0 for any other value, which its own rule reports. */
function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0
}
