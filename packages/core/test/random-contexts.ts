import type { Matrix, PartialLabelSettings, ViewWeights } from '../src/index.ts'
import type { RowTruth, RowViews } from './row-forms.ts'
import { random } from './support.ts'

/** A context with settings, all of it drawn from one seed. */
export interface RandomCase {
  seed: number
  /** Which numbers the vectors have. */
  kind: string
  context: RowViews & { vectors: Matrix }
  settings: PartialLabelSettings
  groundTruth: RowTruth
  /**
   * Whether every inner product is a whole number that float32 holds, or an eighth of one squared:
   * then no kernel has anything to round before the first division, unless there are texts.
   */
  exact: boolean
}

type Next = () => number
/** Numbers of one row; `lengths` and `tiny` are real numbers of very different sizes. */
type Numbers = (next: Next, row: Float32Array) => void

const exactNumbers: Record<string, Numbers> = {
  integers: (next, row) => fill(row, () => Math.floor(next() * 7) - 2),
  centered: (next, row) => fill(row, () => Math.floor(next() * 7) - 3),
  signs: (next, row) => fill(row, () => (next() < 0.5 ? -1 : 1)),
  sparse: (next, row) => fill(row, () => (next() < 0.8 ? 0 : Math.floor(next() * 9) - 4)),
  eighths: (next, row) => fill(row, () => Math.floor(next() * 33 - 16) / 8),
}

const realNumbers: Record<string, Numbers> = {
  floats: (next, row) => fill(row, () => next() * 2 - 0.6),
  normal: (next, row) => fill(row, () => normal(next)),
  unit: (next, row) => {
    fill(row, () => normal(next))
    const length = Math.hypot(...row) || 1
    fill(row, (j) => row[j]! / length)
  },
  lengths: (next, row) => {
    const length = 10 ** (next() * 4 - 2)
    fill(row, () => length * normal(next))
  },
  thirds: (next, row) => fill(row, () => (Math.floor(next() * 7) - 3) / 3),
  // All vectors are the same one but for a little: float32 holds few digits of what tells them apart.
  near: (next, row) => fill(row, () => 1 + 1e-4 * normal(next)),
  huge: (next, row) => fill(row, () => 1e15 * normal(next)),
}

const words = 'alpha beta gamma delta graph query vector model kernel row'.split(' ')

/** The case of a seed. */
export function randomCase(seed: number): RandomCase {
  const next = random(seed)
  const pick = <T>(...values: readonly T[]): T => values[Math.floor(next() * values.length)]!
  const exact = next() < 0.5
  const numbers = exact ? exactNumbers : realNumbers
  const kind = pick(...Object.keys(numbers))
  const count = pick(2, 3, 4, 5, 8, 9, 11, 13, 16, 17, 21, next() < 0.2 ? 66 : 33)
  const size = exact || kind === 'huge' ? 1 : pick(1, 1, 1, 1, 1e-6, 1e-3, 1e3, 1e6)
  const make = (): Matrix => {
    const dimensions = pick(1, 2, 3, 4, 7, 8, 16, 31)
    return matrix(next, numbers[kind]!, count, dimensions, size, exact)
  }
  const context: RandomCase['context'] = { vectors: make() }
  const several = next() < 0.3
  if (several && next() < 0.7) context.texts = texts(next, count)
  if (several && (!context.texts || next() < 0.3)) context.views = { other: make() }
  const rows = Array.from({ length: count - 1 }, (_, i) => i + 1).filter(() => next() < 0.15)
  if (rows.length === 0) rows.push(1 + Math.floor(next() * (count - 1)))
  const settings: PartialLabelSettings = {
    contextSize: pick(count, 100),
    k: pick(1, 2, 3, 5, 8, 10, 21, 100),
    kExp: pick(0, 1, 2, 3, 4, 8),
    trust: pick(0, 0, 0.128, 0.3333, 0.5, 1),
    overlap: pick(2 / 3, 2 / 3, 0, 0.5, 1),
    lambda: pick(0, 0.451, 0.7, 1),
    weight: pick('linear', 'exp', 'binary'),
    weightParameter: pick(0.5, 1, 3.3),
    rowScaling: pick('none', 'max', 'mean'),
    metric: pick('dot', 'cosine'),
    mix: several ? 'standard' : pick('raw', 'standard'),
    target: pick('mixed', 'rnn', 'geometric', 'joint', 'one-hot', 'uniform', 'query-centric'),
    aggregate: pick('mean', 'max', 'sum'),
    normalize: pick('maxmin', 'std', 'max', 'none'),
    normalizeOver: pick('context', 'kept'),
    labelDepth: pick(1, 4, 32),
    boost: pick(1, 1.222),
    epsilon: pick<number | 'match-mixed'>(0.1, 'match-mixed'),
    keepGroundTruth: next() < 0.8,
  }
  if (several && next() < 0.3) settings.views = weightsOf(next, context)
  const grades = next() < 0.5 ? undefined : rows.map(() => pick(1, 2, 3))
  return {
    seed,
    kind,
    context,
    settings,
    groundTruth: { rows, grades },
    exact,
  }
}

function matrix(
  next: Next,
  numbers: Numbers,
  rows: number,
  dimensions: number,
  size: number,
  exact: boolean,
): Matrix {
  const data = new Float32Array(rows * dimensions)
  const duplicates = next() < 0.3 ? next() : 0
  const near = exact ? 0 : [0, 0, 0, 1e-2, 1e-4][Math.floor(next() * 5)]!
  const zeros = next() < 0.2 ? 0.2 : 0
  for (let i = 0; i < rows; i++) {
    const row = data.subarray(i * dimensions, (i + 1) * dimensions)
    if (i > 0 && next() < duplicates) {
      const of = Math.floor(next() * i)
      row.set(data.subarray(of * dimensions, (of + 1) * dimensions))
      if (near > 0) fill(row, (j) => row[j]! * (1 + near * normal(next)))
    } else if (next() >= zeros) {
      numbers(next, row)
      fill(row, (j) => row[j]! * size)
    }
  }
  if (next() < 0.15) center(data, rows, dimensions, exact)
  return { data, rows, dimensions }
}

/** Makes the rows sum to nothing: every mean of a row of S is 0, but for rounding. */
function center(data: Float32Array, rows: number, dimensions: number, exact: boolean): void {
  for (let j = 0; j < dimensions; j++) {
    let sum = 0
    for (let i = 0; i < rows; i++) sum += data[i * dimensions + j]!
    // Whole numbers stay whole: the last row takes what the others sum to.
    if (exact) data[(rows - 1) * dimensions + j]! -= sum
    else for (let i = 0; i < rows; i++) data[i * dimensions + j]! -= sum / rows
  }
}

function texts(next: Next, count: number): string[] {
  const few = 2 + Math.floor(next() * (words.length - 1))
  // Short texts of different words are often equally similar in exact arithmetic.
  const longest = next() < 0.5 ? 3 : 8
  const length = (): number => Math.floor(next() * (longest + 1))
  return Array.from({ length: count }, () =>
    Array.from({ length: length() }, () => words[Math.floor(next() * few)]!).join(' '),
  )
}

function weightsOf(next: Next, context: RowViews): Record<string, ViewWeights> {
  const names = [
    'vectors',
    ...Object.keys(context.views ?? {}),
    ...(context.texts ? ['texts'] : []),
  ]
  const parts = names.map(() => [Math.floor(next() * 5), Math.floor(next() * 5)] as const)
  const sum = (kind: 0 | 1): number => parts.reduce((total, part) => total + part[kind], 0)
  if (sum(0) === 0 || sum(1) === 0) return { vectors: { graph: 1, score: 1 } }
  return Object.fromEntries(
    names.map((name, v) => [name, { graph: parts[v]![0] / sum(0), score: parts[v]![1] / sum(1) }]),
  )
}

function fill(row: Float32Array, value: (j: number) => number): void {
  for (let j = 0; j < row.length; j++) row[j] = value(j)
}

/** A number of the normal distribution. */
function normal(next: Next): number {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
}
