import { compare, evaluate, type LabelTexts, type Qrels, type Run, RunBuilder } from '@kith/ir'
import type { Figure, ReportData, ReportRun } from '../src/index.ts'
import { quantilesPerRank } from '../src/plots/spread-plots.ts'
import { queryRows } from '../src/sections/query-rows.ts'

const measures = ['nDCG@10', 'MRR@10', 'Recall@10']

/** One figure of each kind, and the number of the marks that its data asks for. */
export const figures: readonly { figure: Figure; marks: Readonly<Record<string, number>> }[] = [
  {
    figure: {
      kind: 'context-size',
      measure: 'nDCG@10',
      points: [5, 10, 20, 60, 200, 1000].map((size) => ({
        size,
        mean: 0.4 + Math.log(size) / 100,
        margin: 0.01,
      })),
      baseline: 0.405,
      chosen: 60,
    },
    // The baseline lies across, the chosen size stands upright.
    marks: { circle: 6, '[aria-label=line] path': 1, '[aria-label=rule] line': 2 },
  },
  {
    figure: {
      kind: 'time',
      points: [5, 50, 500, 1000].map((size) => ({ size, milliseconds: 0.02 + size ** 2 / 30_000 })),
      machine: 'one core',
    },
    marks: { circle: 4, '[aria-label=line] path': 1 },
  },
  {
    figure: {
      kind: 'setting',
      measure: 'nDCG@10',
      setting: 'lambda',
      points: [0, 0.25, 0.5, 0.75, 1].map((value) => ({ value, mean: 0.4 + value / 20 })),
      chosen: 0.75,
      baseline: 0.39,
    },
    marks: { circle: 5, '[aria-label=line] path': 1, '[aria-label=rule] line': 2 },
  },
  {
    figure: {
      kind: 'setting',
      measure: 'nDCG@10',
      setting: 'weight',
      points: ['linear', 'exp', 'binary'].map((value, i) => ({ value, mean: 0.4 + i / 50 })),
      chosen: 'linear',
    },
    marks: { circle: 3, '[aria-label=line] path': 0, '[aria-label=rule] line': 1 },
  },
  {
    figure: {
      kind: 'scores-per-rank',
      before: quantilesPerRank(lists(40, 30), { ranks: 20 }),
      after: quantilesPerRank(lists(40, 30), { ranks: 20 }),
    },
    marks: { '[aria-label=area] path': 4, '[aria-label=line] path': 2 },
  },
  {
    figure: {
      kind: 'label-spread',
      targets: ['mixed', 'geometric', 'one-hot'].map((name, i) => ({
        name,
        ranks: quantilesPerRank(lists(40, 6 + i), { missing: 0 }),
      })),
    },
    // Two bands and a median in the panel of each target.
    marks: { '[aria-label=area] path': 6, '[aria-label=line] path': 3 },
  },
  {
    figure: {
      kind: 'training',
      measure: 'MRR@10',
      runs: Array.from({ length: 8 }, (_, run) => ({
        name: `training number ${run + 1}`,
        points: Array.from({ length: 11 }, (_, i) => ({
          step: i * 1000,
          loss: 2 - (i * run) / 50,
          value: 0.3 + Math.sin(i / 3 + run) / 20,
        })),
        steps: Array.from({ length: 40 }, (_, i) => ({
          step: 250 * (i + 1),
          loss: 3 / (i + run + 1),
        })),
      })),
    },
    // A curve in each panel, a point where the measure is best, a name in the legend.
    marks: { '[aria-label=line] path': 24, circle: 8, '[aria-label=legend] text': 8 },
  },
  {
    figure: { kind: 'gains', measure: 'nDCG@10', gains: [0.5, -0.25, 0, 0.125, 0] },
    marks: { '[aria-label=rect] rect': 5 },
  },
  {
    figure: {
      kind: 'reliability',
      estimates: ['estimated', 'calibrated'].map((name, i) => ({
        name,
        bins: Array.from({ length: 10 - 4 * i }, (_, bin) => ({
          from: bin / 10,
          hits: 400 - 40 * bin,
          relevance: bin / 10 + 0.05,
          relevant: (bin / 10 + 0.05) ** (2 - i),
        })),
      })),
    },
    // Two curves and the diagonal; a bar for each point.
    marks: { '[aria-label=line] path': 3, circle: 16, '[aria-label=rect] rect': 16 },
  },
]

/** Lists that fall from rank to rank, no two alike. */
function lists(count: number, length: number): number[][] {
  return Array.from({ length: count }, (_, i) =>
    Array.from({ length }, (_, rank) => (1 + (i % 7) / 7) / (rank + 1 + i / count)),
  )
}

/** A collection of queries whose second ranking is another rotation of the first. */
export class Collection implements LabelTexts {
  readonly qrels: Qrels
  readonly runs: readonly [Run, Run]

  constructor(
    readonly queries: readonly string[],
    readonly nameOf: (document: number) => string = (document) => `d${document}`,
    readonly textOf: (id: string) => string = (id) => `the text of ${id}`,
  ) {
    this.qrels = new Map(
      queries.map((query, q) => [
        query,
        new Map([
          [nameOf(q % 12), 1],
          [nameOf((q * 5 + 3) % 12), 2],
          [nameOf((q * 7 + 4) % 12), 0],
        ]),
      ]),
    )
    this.runs = [this.#run((q, i) => (q + i * 5) % 12), this.#run((q, i) => (q * 2 + i * 7) % 12)]
  }

  #run(documentAt: (query: number, rank: number) => number): Run {
    const builder = new RunBuilder()
    this.queries.forEach((query, q) => {
      const ids = Array.from({ length: 12 }, (_, i) => this.nameOf(documentAt(q, i)))
      builder.add({ query, ids, scores: ids.map((_, i) => 12 - i) })
    })
    return builder.finish()
  }

  query(id: string) {
    return { id, text: this.textOf(id) }
  }

  document(id: string) {
    return { id, title: `title of ${id}`, text: this.textOf(id) }
  }

  /** Everything that a report can show. */
  report(names: readonly [string, string] = ['plain', 'better']): ReportData {
    const [a, b] = this.runs
    const evaluations = [
      evaluate(this.qrels, a, measures),
      evaluate(this.qrels, b, measures),
    ] as const
    const comparison = Object.fromEntries(
      measures.map((measure) => {
        const compared = compare(...evaluations, measure, { permutations: 1000 })
        return [measure, { ...compared, p: compared.randomization }]
      }),
    )
    const runs: ReportRun[] = evaluations.map(({ queries, mean }, i) => ({
      name: names[i]!,
      queries: queries.length,
      measures: mean,
      ...(i === 0 ? {} : { comparison }),
    }))
    const rows = queryRows(evaluations, this.runs, this.qrels, this, 'nDCG@10')
    return {
      title: 'A report',
      collection: 'cranfield',
      about: 'What reranking does.',
      inputs: [{ what: 'run', file: 'plain.trec', size: `${this.queries.length} queries` }],
      runs,
      queries: { ...rows, before: names[0], after: names[1] },
      figures: figures.map(({ figure }) => figure),
      settings: { lambda: 0.7, weight: 'linear', textsWeights: [0.2, 0.3] },
      versions: { kith: '0.1.0' },
      commands: ['kith rerank --run plain.trec --out better.trec'],
    }
  }
}

/** Ids q0, q1 … */
export function ids(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `q${i}`)
}
