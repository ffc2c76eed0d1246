import { type Calibration, KithError } from '@kith/core'
import { calibrated, expectedBest } from '@kith/core/internal'

/**
 * The top hits of a judged query: their estimated relevance, in descending order, and whether each
 * is relevant.
 */
export interface JudgedHits {
  relevances: readonly number[]
  relevant: readonly boolean[]
}

/** The quality of estimated probabilities. */
export interface Reliability {
  /** Expected calibration error over ten bins of equal width. */
  calibrationError: number
  brier: number
  /**
   * F1 of the cutoff with the best expected F1, over queries with a relevant hit among the top
   * hits.
   */
  f1: number
  /** The points of a reliability diagram: one for each of the ten bins with hits. */
  bins: ReliabilityBin[]
}

/** The hits whose relevance is in one tenth of the scale. */
export interface ReliabilityBin {
  /** The lower bound of the bin: 0.3 for 0.3 to 0.4. */
  from: number
  hits: number
  /** The mean relevance of the hits. */
  relevance: number
  /** The share of the hits that are judged relevant. */
  relevant: number
}

/** A calibration, and its benefit on queries that it was not fitted on. */
export interface CalibrationResult {
  /** The value for the option `calibration`. */
  calibration: Calibration
  queries: number
  /** The quality without the calibration, and with it, cross-validated. */
  estimated: Reliability
  calibrated: Reliability
  /** F1 of a fixed number of hits: 3, 5, 10, and the number that is best in hindsight. */
  fixed: { hits: number; f1: number }[]
  /** `few`: fewer than 10 queries. `no`: neither calibration error nor F1 improves. */
  helps: 'yes' | 'no' | 'few'
}

/** The minimum number of judged queries for a meaningful calibration. */
const FEW = 10

/** The fixed numbers of hits to compare with. */
const FIXED = [3, 5, 10]

/**
 * Fits Platt scaling to judged queries, with a prior for no change (a = 1, b = 0, each with a
 * standard deviation of 1), and evaluates it by cross-validation.
 */
export function calibrate(queries: readonly JudgedHits[], folds = 10): CalibrationResult {
  queries.forEach(({ relevances, relevant }, i) => {
    if (relevances.length === relevant.length) return
    throw new KithError(
      'BAD_SHAPE',
      `query ${i}: expected as many judgments as relevances (${relevances.length}), got ${relevant.length}`,
    )
  })
  if (queries.length === 0)
    throw new KithError('BAD_INPUT', 'no judged queries to calibrate on; pass at least one')
  const parts = Math.min(folds, queries.length)
  const heldOut = Array.from({ length: parts }, (_, fold) => {
    const platt = plattOf(queries.filter((_, i) => i % parts !== fold))
    return queries.filter((_, i) => i % parts === fold).map((query) => scaled(query, platt))
  }).flat()
  const estimated = reliabilityOf(queries)
  const after = reliabilityOf(heldOut)
  const longest = Math.max(...queries.map(({ relevant }) => relevant.length))
  const numbers = Array.from({ length: longest }, (_, i) => i + 1)
  const best = numbers.reduce((a, b) => (fixedF1(queries, b) > fixedF1(queries, a) ? b : a), 1)
  const better = after.calibrationError < estimated.calibrationError || after.f1 > estimated.f1
  return {
    calibration: plattOf(queries),
    queries: queries.length,
    estimated,
    calibrated: after,
    fixed: [...FIXED, best].map((hits) => ({ hits, f1: fixedF1(queries, hits) })),
    helps: queries.length < FEW ? 'few' : better ? 'yes' : 'no',
  }
}

function scaled({ relevances, relevant }: JudgedHits, platt: Calibration): JudgedHits {
  return { relevances: relevances.map((p) => calibrated(p, platt)), relevant }
}

/** Returns the a and b with the highest posterior, by Newton's method. */
function plattOf(queries: readonly JudgedHits[]): Calibration {
  let [a, b] = [1, 0]
  const samples = queries.flatMap(({ relevances, relevant }) =>
    relevances.map((p, i) => ({ logit: logitOf(p), y: Number(relevant[i]) })),
  )
  for (let step = 0; step < 50; step++) {
    let [ga, gb, haa, hab, hbb] = [a - 1, b, 1, 0, 1]
    for (const { logit, y } of samples) {
      const q = 1 / (1 + Math.exp(-(a * logit + b)))
      const weight = q * (1 - q)
      ga += (q - y) * logit
      gb += q - y
      haa += weight * logit * logit
      hab += weight * logit
      hbb += weight
    }
    const determinant = haa * hbb - hab * hab
    a -= (hbb * ga - hab * gb) / determinant
    b -= (haa * gb - hab * ga) / determinant
  }
  // A slope of 0 or below would reverse the order of the hits.
  return { a: Math.max(0.01, a), b }
}

/** Returns the logit of a probability; 0 and 1 get large logits that keep sums finite. */
function logitOf(p: number): number {
  return Math.min(30, Math.max(-30, Math.log(p / (1 - p))))
}

function reliabilityOf(queries: readonly JudgedHits[]): Reliability {
  const bins = Array.from({ length: 10 }, () => ({ p: 0, y: 0, hits: 0 }))
  let [count, squares] = [0, 0]
  for (const { relevances, relevant } of queries) {
    relevances.forEach((p, i) => {
      const y = Number(relevant[i])
      const bin = bins[Math.min(9, Math.floor(p * 10))]!
      bin.p += p
      bin.y += y
      bin.hits++
      squares += (p - y) ** 2
      count++
    })
  }
  return {
    calibrationError: bins.reduce((sum, { p, y }) => sum + Math.abs(p - y), 0) / (count || 1),
    brier: squares / (count || 1),
    f1: meanF1(queries, ({ relevances }) => expectedBest(relevances)),
    bins: bins.flatMap(({ p, y, hits }, i) =>
      hits === 0 ? [] : [{ from: i / 10, hits, relevance: p / hits, relevant: y / hits }],
    ),
  }
}

function fixedF1(queries: readonly JudgedHits[], hits: number): number {
  return meanF1(queries, () => hits)
}

/**
 * Computes the mean F1 over the queries with a relevant hit; relevant documents outside the list do
 * not count.
 */
function meanF1(queries: readonly JudgedHits[], keep: (query: JudgedHits) => number): number {
  const some = queries.filter(({ relevant }) => relevant.includes(true))
  const sum = some.reduce((whole, query) => {
    const kept = keep(query)
    const found = query.relevant.slice(0, kept).filter(Boolean).length
    return whole + (2 * found) / (kept + query.relevant.filter(Boolean).length)
  }, 0)
  return sum / (some.length || 1)
}
