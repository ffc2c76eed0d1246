import { expect, test } from 'vitest'
import {
  auditCandidates,
  type Candidates,
  labelPresets,
  neighbors,
  presets,
  type Query,
  rerank,
  resolveMethodSettings,
  similarity,
  smoothLabels,
  termStatistics,
} from '../src/index.ts'
import { auditPreset, idleReason, labelTable, methodTable, type Use } from '../src/internal.ts'
import type { AnyTable } from '../src/settings/setting.ts'
import { settingTable } from '../src/settings/setting-guide.ts'
import { random as randomSource } from './support.ts'

// The tables of settings say when a setting has no effect. These tests try each setting under each
// value of each other setting, and hold both sides: a setting that changes no result is refused
// where it is set, and every other one changes a result.

type Settings = Record<string, unknown>
type Input = { query: Query; candidates: Candidates }

const words =
  'bees bee wasp hive honey honeycomb nests sting stings queen queens swarm swarming'.split(' ')

/** A query and 24 candidates of vectors of several lengths, with texts and titles. */
function inputOf(seed: number): { vectors: Input; texts: Input } {
  const random = randomSource(seed)
  const centers = Array.from({ length: 4 }, () => Array.from({ length: 5 }, () => random() + 0.2))
  const vector = () => {
    const length = 0.9 + 0.2 * random()
    return centers[Math.floor(random() * 4)]!.map((x) => length * (x + 0.5 * random()))
  }
  const text = (length: number) =>
    Array.from({ length }, () => words[Math.floor(random() * words.length)]!).join(' ')
  const own = vector()
  const vectors = Array.from({ length: 24 }, vector)
  const texts = vectors.map(() => ({
    title: text(2),
    text: text(6 + Math.floor(random() * 20)),
  }))
  return {
    vectors: { query: own, candidates: vectors },
    texts: { query: { vector: own, text: 'queen bee sting' }, candidates: { vectors, texts } },
  }
}

const inputs = [inputOf(1), inputOf(2), inputOf(3)]

function statisticsOf(tokenizer: 'english' | 'none') {
  return termStatistics(
    words.map((word, i) => `${word} ${words.slice(0, i).join(' ')}`),
    { tokenizer },
  )
}

/** Values of settings whose row does not list them. */
const values: Record<string, unknown[]> = {
  tokenizer: ['none', 'prefix5'],
  statistics: [statisticsOf('english'), statisticsOf('none')],
  neighborWeight: [0, 0.5],
  supportWeight: [0, 0.5],
  views: [{ vectors: { graph: 0.5, score: 0.5 }, texts: { graph: 0.5, score: 0.5 } }],
  epsilon: [0.1, 0.5],
  preselect: [0, 20],
  contextSize: [8],
  k: [4, 9],
  kExp: [1, 6],
  labelDepth: [1, 8],
  boost: [0.5, 6],
}

/** Some values of a setting besides the one that a table of settings has. */
function othersOf(table: AnyTable, name: string, now: unknown): unknown[] {
  const { range, values: choices, axis, tune } = table[name]!
  const { from = 1, above = false, to = 2 } = range ?? {}
  const ends = [...(above ? [] : [from]), ...(to <= 1 ? [to] : []), axis?.at(-1), tune?.to]
  const all: readonly unknown[] = values[name] ??
    choices ?? [...ends.filter((value) => value !== undefined), (axis ?? [2])[1]]
  return [...new Set(all)].filter((value) => value !== now)
}

/** A job with settings, and what it makes of one input, as numbers. */
interface Job {
  table: AnyTable
  use: Use
  base: Settings
  run(input: Input, settings: Settings): number[]
}

/** More ground truth than labels, and less. */
const truths = [
  { candidates: [3, 8, 11, 17, 20] },
  { candidates: [5, 9], grades: [1, 2] },
  { candidates: [12] },
]
const jobs: Record<string, (texts: boolean) => Job> = {
  rerank: (texts) => ({
    table: methodTable,
    use: { texts },
    base: { ...resolveMethodSettings(), contextSize: 16, k: 6 },
    run({ query, candidates }, settings) {
      const { order, scores } = rerank(query, candidates, settings)
      return [...order, ...scores]
    },
  }),
  smoothLabels: (texts) => ({
    table: labelTable,
    use: { texts, job: 'labels' },
    base: { ...labelPresets.balanced, k: 6 },
    run({ query, candidates }, settings) {
      return truths.flatMap((truth) => {
        const { evidence, kept, target } = smoothLabels(query, candidates, truth, settings)
        return [...evidence, ...kept, ...target]
      })
    },
  }),
  auditCandidates: (texts) => ({
    table: labelTable,
    use: { texts, job: 'audit' },
    base: { ...auditPreset, k: 6 },
    run({ query, candidates }, settings) {
      const grades = Array.from({ length: 24 }, (_, c) =>
        c === 3 || c === 17 ? 1 : c === 11 ? 2 : undefined,
      )
      return auditCandidates(query, candidates, grades, settings).flatMap((finding) => [
        finding.candidate,
        finding.evidence,
        ...finding.vouchers.flatMap((by) => [by.candidate, by.similarity, by.jaccard]),
      ])
    },
  }),
  similarity: (texts) => ({
    // The mix of rankings is standard here.
    table: { ...settingTable, mix: { ...settingTable.mix, values: ['raw', 'standard'] } },
    use: { texts, job: 'similarity' },
    base: { ...presets.balanced, mix: 'standard', k: 6 },
    run({ query, candidates }, settings) {
      return similarity(query, candidates, ['query', 4], settings).flatMap(
        ({ geometric, jaccard, mixed }) =>
          [geometric, jaccard, mixed].flatMap((one) => [one.toQuery, ...one.toCandidates]),
      )
    },
  }),
  neighbors: (texts) => ({
    table: settingTable,
    use: { texts, job: 'neighbors' },
    base: { ...presets.balanced, k: 6 },
    run({ query, candidates }, settings) {
      const found = neighbors(query, candidates, settings)
      return [found.query, ...found.candidates].flatMap(({ nearest, reciprocal }) =>
        [...nearest, -2, ...reciprocal, -3].map((one) => (one === 'query' ? -1 : one)),
      )
    },
  }),
}

/** The results of all inputs; undefined if the settings do not fit together. */
function results(job: Job, settings: Settings): number[][] | undefined {
  try {
    return inputs.map((input) => job.run(job.use.texts ? input.texts : input.vectors, settings))
  } catch (error) {
    if (/ has no effect/.test((error as Error).message)) throw error
    return undefined
  }
}

function differ(a: readonly number[][], b: readonly number[][]): boolean {
  return a.some((row, i) =>
    row.some((value, j) => {
      const other = b[i]![j]!
      return Math.abs(value - other) > 1e-4 * Math.max(1, Math.abs(value))
    }),
  )
}

/** Settings that may change no result without being refused, and why. */
const exceptions: Record<string, string> = {
  kernel: 'all kernels give one result',
  contextSize: 'other functions than rankings take all candidates that they are given',
  rowScaling: 'scaled rows have the same neighbors; raw mixes, exp weights and the support differ',
  'statistics=[object Object]: tokenizer': 'statistics fit one tokenizer',
  'views=[object Object]: metric': 'a view of texts makes the graph one of cosines',
  'normalize=max: normalizeOver':
    'the largest evidence is kept, unless ground truth takes all places',
}

/** What contradicts the table where one setting is at a value: by the name of each other setting. */
function contradictions(job: Job, fixed: Settings): string[] {
  const at = { ...job.base, ...fixed }
  const before = results(job, at)
  const off = Object.keys(fixed).some((name) => idleReason(job.table[name]!, at, job.use))
  if (!before || off) return []
  return Object.keys(job.table).flatMap((name) => {
    if (name in fixed) return []
    const claimed = idleReason(job.table[name]!, at, job.use)
    const others = othersOf(job.table, name, at[name])
    const after = others.map((value) => results(job, { ...at, [name]: value }))
    // Settings that do not fit together are refused for another reason.
    if (after.every((one) => one === undefined)) return []
    const changed = after.some((one) => one && differ(before, one))
    const place = [...Object.entries(fixed).map((one) => `${one.join('=')}: `), name].join('')
    const excepted = name in exceptions || place in exceptions
    if (!changed && claimed === undefined && !excepted) return [`${place} changes nothing`]
    if (changed && claimed !== undefined) return [`${place} changes a result: ${claimed}`]
    if (claimed === undefined) return []
    // Set alone, it is refused.
    const given = { ...fixed, [name]: others[0] }
    const message = messageOf(() => job.run(inputs[0]![job.use.texts ? 'texts' : 'vectors'], given))
    const expected = `setting ${name} has no effect: ${claimed}; leave it out`
    return message === expected ? [] : [`${place} is not refused: ${message}`]
  })
}

function messageOf(run: () => unknown): string | undefined {
  try {
    return void run()
  } catch (error) {
    return (error as Error).message
  }
}

const cases = Object.entries(jobs).flatMap(([name, job]) =>
  [true, false].map(
    (texts) => [`${name} ${texts ? 'with' : 'without'} texts`, job(texts)] as const,
  ),
)

test.each(cases)('%s: each setting changes a result or is refused', (_, job) => {
  expect(contradictions(job, {})).toEqual([])
})

test.each(cases)(
  '%s: each setting changes a result or is refused under each value of each other setting',
  (_, job) => {
    const found = Object.keys(job.table).flatMap((name) => {
      if (name === 'kernel' || name === 'contextSize') return []
      return othersOf(job.table, name, job.base[name]).flatMap((value) =>
        contradictions(job, { [name]: value }),
      )
    })
    expect(found).toEqual([])
  },
)
