import { compare, type Evaluation } from '@kith/ir'
import { tQuantile } from '@kith/ir/internal'

/**
 * The number of judged queries up to which searching for settings is worse than the default
 * (docs/method.md section 4).
 */
export const FEW_QUERIES = 50

/** With few queries, the default is dropped if its t is below this. */
const HARMFUL = -1

/** Other settings replace the default if their t against it is above this. */
const CONVINCING = 2

/**
 * The advice: keep the retriever's ranking, rerank with the default settings, or rerank with the
 * settings found.
 */
export type Verdict = 'keep-run' | 'default' | 'tuned'

/** Every query's value with each ranking; no query evaluates settings that it helped to choose. */
export interface HeldOutValues {
  /** The values of the retriever's own ranking. */
  baseline: Float64Array
  default: Float64Array
  /** The values with the settings that the other folds chose; undefined if nothing was searched. */
  tuned?: Float64Array | undefined
  /** The values with embeddings only, if there are texts and nothing was searched. */
  embeddings?: Float64Array | undefined
}

/** The evidence for a verdict. */
export interface HeldOut extends PairedTest {
  /** The mean of the measure with each ranking. */
  baseline: number
  default: number
  tuned?: number
  /** The difference between the settings found and the default. */
  overDefault?: PairedTest
}

/**
 * A verdict with its reason, and the evidence for the default or the found settings against the
 * run.
 */
export interface Decision {
  verdict: Verdict
  /**
   * The settings that were compared with the baseline ranking; equal to the verdict unless it is
   * `keep-run`.
   */
  candidate: 'default' | 'tuned'
  reason: string
  heldOut: HeldOut
}

/**
 * Decides by the rule in docs/method.md section 4. The default stays unless other settings are
 * convincingly better. With few queries, reranking is switched off only at a sign of harm; with
 * more queries, already without a gain.
 */
export function judge(values: HeldOutValues): Decision {
  if (values.embeddings && !values.tuned) return judgeFew(values, values.embeddings)
  const { baseline, tuned } = values
  const overDefault = tuned && pairedTest(values.default, tuned)
  const replaced = overDefault !== undefined && overDefault.t > CONVINCING
  const candidate = replaced ? 'tuned' : 'default'
  const evidence = pairedTest(baseline, replaced ? tuned! : values.default)
  const heldOut: HeldOut = {
    baseline: meanOf(baseline),
    default: meanOf(values.default),
    ...(tuned && overDefault ? { tuned: meanOf(tuned), overDefault } : {}),
    ...evidence,
  }
  const helps = tuned ? evidence.gain > 0 : evidence.t >= HARMFUL
  return {
    verdict: helps ? candidate : 'keep-run',
    candidate,
    reason: reasonOf(candidate, helps, evidence, overDefault),
    heldOut,
  }
}

/**
 * Decides with few queries and texts between the default, embeddings only, and the run. The default
 * is dropped at a sign of harm, or if embeddings only are convincingly better.
 */
function judgeFew(values: HeldOutValues, embeddings: Float64Array): Decision {
  const { baseline } = values
  const ofDefault = pairedTest(baseline, values.default)
  const alone = pairedTest(baseline, embeddings)
  const overDefault = pairedTest(values.default, embeddings)
  const replaced =
    overDefault.t > CONVINCING || (ofDefault.t < HARMFUL && alone.t >= HARMFUL && alone.gain > 0)
  const evidence = replaced ? alone : ofDefault
  const helps = evidence.t >= HARMFUL
  const candidate = replaced ? 'tuned' : 'default'
  const held = `${signed(evidence.gain)} (t ${evidence.t.toFixed(1)}) against no reranking`
  const what = replaced ? 'the embeddings without BM25 scores' : 'the default settings'
  return {
    verdict: helps ? candidate : 'keep-run',
    candidate,
    reason: helps
      ? `with ${FEW_QUERIES} judged queries or fewer, only no reranking, embeddings only and the default settings are compared; use ${what}: ${held}`
      : `the default settings make the ranking worse, and embeddings only do not help: ${held}`,
    heldOut: {
      baseline: meanOf(baseline),
      default: meanOf(values.default),
      ...(replaced ? { tuned: meanOf(embeddings), overDefault } : {}),
      ...evidence,
    },
  }
}

function reasonOf(
  candidate: 'default' | 'tuned',
  helps: boolean,
  { gain, t }: PairedTest,
  overDefault: PairedTest | undefined,
): string {
  const held = `${signed(gain)} (t ${t.toFixed(1)}) against no reranking`
  if (!overDefault) {
    return helps
      ? `with ${FEW_QUERIES} judged queries or fewer, settings are not tuned; the default settings do not make the ranking worse: ${held}`
      : `the default settings make the ranking worse: ${held}`
  }
  const over = `on held-out queries, tuned settings have ${signed(overDefault.gain)} (t ${overDefault.t.toFixed(1)}) against the default settings`
  const chosen =
    candidate === 'tuned'
      ? 'use the tuned settings'
      : `t is not above ${CONVINCING}, so use the default settings`
  return `${over}: ${chosen}; ${candidate === 'tuned' ? 'the tuned settings have' : 'the default settings have'} ${held}${helps ? '' : ': no gain'}`
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(4)}`
}

/** The confidence level of intervals. */
const CONFIDENCE = 0.95

/** The largest t that is reported: larger values mean no more, and JSON has no infinity. */
const LARGEST_T = 1e6

/** The difference of two rankings over the same queries. */
export interface PairedTest {
  /** The mean difference. */
  gain: number
  /** The 95 % confidence interval of the gain. */
  ci: readonly [low: number, high: number]
  /** The paired t-test: t, and its two-sided p. */
  t: number
  p: number
}

/** Tests whether `after` is better than `before`, with the values of at least two queries. */
export function pairedTest(before: Float64Array, after: Float64Array): PairedTest {
  // Only the t-test of the comparison is needed, so the number of permutations is minimal.
  const { difference, t, tTest } = compare(asEvaluation(before), asEvaluation(after), 'value', {
    permutations: 1,
  })
  const n = before.length
  const squares = before.reduce((sum, value, i) => sum + (after[i]! - value - difference) ** 2, 0)
  const reach = tQuantile(CONFIDENCE, n - 1) * Math.sqrt(squares / (n - 1) / n)
  return {
    gain: difference,
    ci: [difference - reach, difference + reach],
    t: Math.min(LARGEST_T, Math.max(-LARGEST_T, t)),
    p: tTest,
  }
}

/** Returns the mean of some values. */
export function meanOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function asEvaluation(values: Float64Array): Evaluation {
  const queries = Array.from(values, (_, i) => `${i}`)
  return { measures: ['value'], queries, mean: {}, perQuery: { value: values } }
}
