import { expect, test } from 'vitest'
import { thorough } from '../../../test/thorough.ts'
import { contextOf } from '../src/context.ts'
import { resolveLabelSettings } from '../src/index.ts'
import type { Engine, KernelName, Square } from '../src/kernel/engine.ts'
import { createEngine } from '../src/kernel/load.ts'
import { checkGroundTruth } from '../src/labels/ground-truth.ts'
import { labelsOf } from '../src/labels/labels.ts'
import { buildGraph } from '../src/method/graph.ts'
import { ROUNDING } from '../src/method/mix.ts'
import { similarities } from '../src/method/similarities.ts'
import { cosine } from '../src/method/similarity-steps.ts'
import { Postings } from '../src/text/postings.ts'
import { type RandomCase, randomCase } from './random-contexts.ts'
import { splitRows } from './row-forms.ts'
import { fastKernels } from './support.ts'

const CONTEXTS = thorough ? 10_000 : 1_000

/** How far results may be apart, as a part of the largest of them, or of 1 if all are smaller. */
const AGREEMENT = 1e-4

/** Everything that a kernel makes of a context. */
interface Results {
  rank: Uint32Array[]
  reciprocal: Uint32Array[]
  graph: Float64Array[]
  jaccard: Float64Array[]
  /** By name; an entry always belongs to the same row. */
  numbers: Record<string, ArrayLike<number>>
}

/** A copy of S of a view, m × m. */
interface Found {
  data: Float32Array
  rows: number
}

function resultsOf(engine: Engine, { context, settings, groundTruth }: RandomCase): Results {
  const all = resolveLabelSettings(settings)
  const { query, candidates } = splitRows(context)
  const checked = contextOf(query, candidates, Infinity, new Postings(), all)
  const probes = probesOf(groundTruth.rows)
  engine.release()
  const { geometric, jaccard, mixed } = similarities(engine, checked, probes, all)
  const built = buildGraph(engine, checked, [], all).graph
  const graph = Array.from({ length: checked.rows }, (_, i) => built.row(i))
  const neighborhoods = engine.neighbors(built, all)
  const rank = neighborhoods.ranks()
  const reciprocal = neighborhoods.reciprocals()
  const judged = { candidates: groundTruth.rows.map((row) => row - 1), grades: groundTruth.grades }
  const known = checkGroundTruth(judged, checked)
  const { evidence, kept, target } = labelsOf(engine, checked, known, all)
  const targets = new Float64Array(checked.rows - 1)
  kept.forEach((candidate, i) => {
    targets[candidate] = target[i]!
  })
  const numbers: Results['numbers'] = { evidence, targets }
  probes.forEach((probe, p) => {
    numbers[`geometric of ${probe}`] = geometric[p]!
    numbers[`jaccard of ${probe}`] = jaccard[p]!
    numbers[`mixed of ${probe}`] = mixed[p]!
  })
  return { rank, reciprocal, graph, jaccard, numbers }
}

function probesOf(groundTruth: readonly number[]): number[] {
  return [0, ...groundTruth]
}

/** What a view's S is made of. */
type View = 'vectors' | 'texts'

/** An engine that hands each S, once it is computed, to a function, which may return another one. */
function watched(engine: Engine, found: (s: Square, view: View) => Found | undefined): Engine {
  const gram = engine.gram.bind(engine)
  const texts = engine.texts.bind(engine)
  const watch = (s: Square, view: View): Square => {
    const other = found(s, view)
    return other ? engine.square(s.rows, { data: other.data, stride: other.rows }) : s
  }
  engine.gram = (vectors) => watch(gram(vectors), 'vectors')
  engine.texts = (postings) => {
    const own = texts(postings)
    return {
      similarity: () => watch(own.similarity(), 'texts'),
      scores: (settings) => own.scores(settings),
      matches: (settings) => own.matches(settings),
    }
  }
  return engine
}

function copyOf(s: Square): Found {
  const { rows } = s
  const data = new Float32Array(rows * rows)
  for (let i = 0; i < rows; i++) data.set(s.row(i), i * rows)
  return { data, rows }
}

/** The largest difference of two S, as a part of the lengths' product. */
function distance(a: Found, b: Found): number {
  const { rows } = a
  let most = 0
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < rows; j++) {
      const apart = Math.abs(a.data[i * rows + j]! - b.data[i * rows + j]!)
      if (apart === 0) continue
      const product = Math.sqrt(a.data[i * (rows + 1)]! * a.data[j * (rows + 1)]!)
      most = Math.max(most, apart / product)
    }
  }
  return most
}

/** What differs between two results, in words; nothing if they agree. */
function difference(actual: Results, expected: Results, tolerance = AGREEMENT): string | undefined {
  for (const kind of ['rank', 'reciprocal'] as const) {
    const row = expected[kind].findIndex((list, i) => !isSame(list, actual[kind][i]!))
    if (row >= 0) return `${kind}[${row}] is ${actual[kind][row]}, not ${expected[kind][row]}`
  }
  for (const [name, values] of Object.entries(expected.numbers)) {
    const others = actual.numbers[name]!
    const allowed = tolerance * Math.max(1, largest(values))
    for (let i = 0; i < values.length; i++) {
      if (Math.abs(values[i]! - others[i]!) <= allowed) continue
      return `${name}: entry ${i} is ${others[i]}, not ${values[i]} ± ${allowed}`
    }
  }
  return undefined
}

function isSame(list: Uint32Array, other: Uint32Array): boolean {
  return list.length === other.length && list.every((value, i) => value === other[i])
}

/** The largest difference of two graphs, as a part of each row's largest entry. */
function graphDistance(actual: Results, expected: Results): number {
  let most = 0
  expected.graph.forEach((row, i) => {
    const size = largest(row)
    row.forEach((value, j) => {
      const apart = Math.abs(value - actual.graph[i]![j]!)
      if (!(apart <= most * size)) most = apart / size
    })
  })
  return most
}

/**
 * Whether neighbors differ, and only by near ties: rows that took each other's places in a ranking
 * are equally similar but for rounding.
 */
function differsByNearTies(actual: Results, expected: Results): boolean {
  let differs = false
  for (const [i, list] of expected.rank.entries()) {
    const row = expected.graph[i]!
    const other = actual.rank[i]!
    for (let place = 0; place < list.length; place++) {
      if (list[place] === other[place]) continue
      differs = true
      const apart = Math.abs(row[list[place]!]! - row[other[place]!]!)
      if (!(apart <= ROUNDING * largest(row))) return false
    }
  }
  return differs
}

/** Whether labels went to other candidates, and only because those at the cut have the same evidence but for rounding. */
function cutAtNearTie(actual: Results, expected: Results, tolerance: number): boolean {
  const { evidence, targets } = expected.numbers
  const swapped = Array.from(targets!, (label, c) => ({
    evidence: evidence![c]!,
    moved: Math.sign(label) - Math.sign(actual.numbers['targets']![c]!),
  })).filter(({ moved }) => moved !== 0)
  const values = swapped.map((candidate) => candidate.evidence)
  const apart = Math.max(...values) - Math.min(...values)
  return swapped.length > 1 && apart <= tolerance * Math.max(1, largest(evidence!))
}

/**
 * How much of the difference of two graphs may be seen in the results. Standardizing divides by a
 * spread, that of several views' sum by its own once more, normalized evidence by its own, and
 * exponential weights multiply by p · S: each makes more of rounding, and none can do otherwise.
 */
function tolerance(plain: Results, one: RandomCase, squares: Found[], error: number): number {
  const { weight, weightParameter } = one.settings
  const steep = weight === 'exp' ? weightParameter! * Math.max(...plain.graph.map(largest)) : 1
  const spreads = [
    termSpreads(plain, one, squares),
    sumSpreads(plain, one),
    labelSpreads(plain, one),
  ]
  // What is constant but for rounding counts as constant, and is not divided by.
  const least = spreads.map((stage) =>
    Math.min(1, ...stage.filter((value) => value > ROUNDING / 2)),
  )
  return AGREEMENT + (error * Math.max(1, steep)) / least.reduce((a, b) => a * b)
}

/** What the terms of a standard mix, or of joint evidence, are divided by. */
function termSpreads(
  plain: Results,
  { settings, groundTruth }: RandomCase,
  squares: Found[],
): number[] {
  const { mix, metric, target } = settings
  if (mix !== 'standard' && target !== 'joint') return []
  const probes = probesOf(groundTruth.rows)
  const spreads = probes.map((probe, p) => spread(plain.jaccard[p]!, [probe]))
  for (const { data, rows } of squares) {
    const s = data.slice()
    if (metric === 'cosine') cosine(s, rows)
    const longest = Math.max(
      ...Array.from({ length: rows - 1 }, (_, c) => s[(c + 1) * (rows + 1)]!),
    )
    for (const probe of probes) {
      const own = s.subarray(probe * rows, (probe + 1) * rows)
      const size = Math.sqrt(own[probe]! * longest) || 1
      for (const leftOut of [[probe], probes]) spreads.push(spread(own, leftOut) / size)
    }
  }
  return spreads
}

/** What the sum of several views' terms is divided by. */
function sumSpreads(plain: Results, { context, groundTruth }: RandomCase): number[] {
  if (!context.texts && !context.views) return []
  return probesOf(groundTruth.rows).map((probe) =>
    spread(plain.numbers[`geometric of ${probe}`]!, [probe]),
  )
}

/** What evidence is divided by. */
function labelSpreads(plain: Results, { settings }: RandomCase): number[] {
  if (settings.normalize === 'none') return []
  const { evidence, targets } = plain.numbers
  const all = Array.from(evidence!)
  const over = settings.normalizeOver === 'kept' ? all.filter((_, c) => targets![c]! > 0) : all
  const range = spread([0, ...over], [])
  const size = largest(over) || 1
  // Of small evidence, a part of its size; next to Jaccards, which round as parts of 1, of 1.
  return [range / size, range / Math.max(1, size)]
}

/** The range of a row's entries for candidates, without some. */
function spread(values: ArrayLike<number>, leftOut: readonly number[]): number {
  let low = Infinity
  let high = -Infinity
  for (let c = 1; c < values.length; c++) {
    if (leftOut.includes(c)) continue
    low = Math.min(low, values[c]!)
    high = Math.max(high, values[c]!)
  }
  return high > low ? high - low : 0
}

function largest(values: ArrayLike<number>): number {
  let most = 0
  for (let i = 0; i < values.length; i++) most = Math.max(most, Math.abs(values[i]!))
  return most
}

/** A compiled kernel, and the plain one with the similarities that the compiled one found. */
class Pair {
  readonly #found: Found[] = []
  readonly #furthest = { vectors: 0, texts: 0 }
  readonly #fast: Engine
  readonly #replay: Engine

  constructor(kernel: KernelName) {
    this.#fast = watched(createEngine(kernel), (s) => {
      this.#found.push(copyOf(s))
      return undefined
    })
    this.#replay = watched(createEngine('typescript'), (s, view) => {
      const theirs = this.#found.shift()!
      this.#furthest[view] = Math.max(this.#furthest[view], distance(copyOf(s), theirs))
      return theirs
    })
  }

  /** The compiled kernel's results, and what is wrong with them as a function of its similarities. */
  resultsOf(one: RandomCase): { fast: Results; wrong: string | undefined } {
    this.#furthest.vectors = 0
    this.#furthest.texts = 0
    const fast = resultsOf(this.#fast, one)
    // The kernels' sums differ by rounding alone, those of whole numbers not at all ...
    const same = resultsOf(this.#replay, one)
    const allowed = { vectors: one.exact ? 0 : ROUNDING, texts: ROUNDING }
    for (const view of ['vectors', 'texts'] as const) {
      const apart = this.#furthest[view]
      if (apart > allowed[view])
        return { fast, wrong: `similarities of ${view} are ${apart} apart` }
    }
    // ... and all that follows is the same function of them.
    return { fast, wrong: difference(fast, same) }
  }
}

test(`all kernels agree on ${CONTEXTS} random contexts over all settings`, () => {
  const own: Found[] = []
  const plainEngine = watched(createEngine('typescript'), (s) => {
    own.push(copyOf(s))
    return undefined
  })
  const pairs = fastKernels.map((kernel) => ({ kernel, pair: new Pair(kernel), nearTies: 0 }))
  for (let seed = 0; seed < CONTEXTS; seed++) {
    const one = randomCase(seed)
    let plain: Results | undefined
    for (const each of pairs) {
      const { fast, wrong } = each.pair.resultsOf(one)
      const check = (problem: string | undefined): void => {
        if (!problem) return
        expect.fail(`${each.kernel}, context ${seed}: ${problem}\n${JSON.stringify(one.settings)}`)
      }
      // Vectors that are nearly all the same have few similarities that rounding leaves apart.
      const countNearTie = (): void => {
        if (one.kind !== 'near') each.nearTies++
      }
      check(wrong)
      if (one.exact && !one.context.texts) continue
      // That function makes no more of the rounding than it must.
      if (!plain) {
        own.length = 0
        plain = resultsOf(plainEngine, one)
      }
      const error = graphDistance(fast, plain)
      check(error <= AGREEMENT ? undefined : `rows of the graph are ${error} apart`)
      if (differsByNearTies(fast, plain)) countNearTie()
      else if (difference(fast, plain)) {
        const amplified = tolerance(plain, one, own, Math.max(error, ROUNDING))
        if (cutAtNearTie(fast, plain, amplified)) countNearTie()
        else check(difference(fast, plain, amplified))
      }
    }
  }
  expect(pairs.length).toBeGreaterThan(0)
  for (const { nearTies } of pairs) expect(nearTies).toBeLessThan(CONTEXTS / 20)
})
