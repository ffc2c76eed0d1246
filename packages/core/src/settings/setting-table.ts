import { KithError } from '../error.ts'
import { isObject } from '../matrix.ts'
import { checkStatistics } from '../text/term-statistics.ts'
import { checkTokenizer, tokenizerNames } from '../text/tokenizer.ts'
import { refuseUnknown } from './names.ts'
import { type SettingTable, tenths, type Use } from './setting.ts'
import { type Range, range } from './setting-rules.ts'
import type { Settings, ViewWeights } from './settings.ts'
import { show } from './show.ts'

/** All neighbor weights by name; the kernel knows each by its place. */
export const weights = ['linear', 'exp', 'binary'] as const

/** All scalings of rows by name. */
export const rowScalings = ['none', 'max', 'mean'] as const

const count = (from: number): Range => ({ from, to: 16_384, integer: true })
const share: Range = { from: 0, to: 1 }

/** The methods that build the graph of neighbors, and those that compare texts. */
const graph = ['neighbors', 'neighbor-rrf']
const compared = [...graph, 'fusion']
const scored = ['neighbors', 'fusion']

const needsTexts = (_: Settings, { texts }: Use) => (texts ? undefined : 'it needs texts')

/** Why the BM25 score and the support take no part. */
const needsWords = ({ mix }: Settings, { texts, labels }: Use): string | undefined => {
  if (labels) return 'labels have neither BM25 score nor support, window nor title'
  if (!texts) return 'it needs texts'
  return mix === 'words' ? undefined : `it needs mix 'words', not '${mix}'`
}

const withoutBm25 = ({ bm25Weight }: Settings) => bm25Weight === 0

/** The weights that a view has. */
const kinds = ['graph', 'score'] as const

/** The settings of a ranking by neighbors: everything that Kith knows about each of them. */
export const settingTable: SettingTable<Settings> = {
  contextSize: {
    help: 'first candidates to rerank',
    default: 50,
    symbol: 'N',
    range: count(1),
    axis: [5, 7, 10, 15, 20, 30, 40, 50, 70, 100, 150, 200, 300, 500, 700, 1000],
  },
  k: {
    help: 'nearest neighbors of a document',
    default: 10,
    symbol: 'k',
    range: count(1),
    tune: { from: 2, to: 50, log: true },
    axis: [2, 3, 5, 7, 10, 14, 20, 30, 50],
    methods: graph,
  },
  kExp: {
    help: 'neighbors that a neighbor vector is averaged over (0 or 1: none)',
    default: 4,
    symbol: 'k_exp',
    range: count(0),
    tune: { from: 1, to: 12 },
    axis: [1, 2, 3, 4, 5, 6, 8, 10, 12],
    methods: graph,
  },
  trust: {
    help: 'how far reciprocal sets are extended (0: not at all)',
    default: 0,
    symbol: 'τ',
    range: share,
    tune: { from: 0.05, to: 1 },
    axis: [0, 0.125, 0.25, 0.5, 0.75, 1],
    methods: graph,
  },
  overlap: {
    help: 'part of an extending set that must overlap',
    default: 2 / 3,
    symbol: 'o',
    range: share,
    axis: tenths(0, 1),
    methods: graph,
    off: ({ trust }: Settings) => trust === 0,
  },
  lambda: {
    help: 'share of the geometric similarity, without texts',
    default: 0.7,
    symbol: 'λ',
    range: share,
    // Below 0.3 the standard mix has left the retriever's own ranking behind.
    tune: { from: 0.3, to: 1 },
    axis: tenths(0, 1),
    methods: ['neighbors'],
    idle: ({ mix }: Settings, { texts, labels }: Use) =>
      mix === 'words' && texts && !labels
        ? 'with texts, bm25Weight, neighborWeight and supportWeight share the score'
        : undefined,
  },
  weight: {
    help: 'how similarity becomes a neighbor weight',
    default: 'linear',
    values: weights,
    axis: weights,
    methods: graph,
  },
  weightParameter: {
    help: 'exponent of exp weights',
    default: 1,
    symbol: 'p',
    range: { from: 0, to: 100, above: true },
    tune: { from: 0.1, to: 20, log: true },
    axis: [0.1, 0.3, 1, 3, 10],
    methods: graph,
    off: ({ weight }: Settings) => weight !== 'exp',
  },
  rowScaling: {
    help: 'scaling of the rows of similarities',
    default: 'none',
    values: rowScalings,
    axis: rowScalings,
    methods: compared,
  },
  metric: {
    help: 'vector similarity (auto: the metric that fits the order of the hits)',
    default: 'auto',
    values: ['auto', 'dot', 'cosine'],
  },
  mix: {
    help: 'how scores are combined (words is standard without texts)',
    default: 'words',
    values: ['raw', 'standard', 'words'],
    axis: ['standard', 'raw'],
    methods: scored,
  },
  tokenizer: {
    help: 'how a text becomes terms (default: that of the term statistics, else english)',
    default: undefined,
    check: checkTokenizer,
    axis: tokenizerNames,
    methods: compared,
    idle: needsTexts,
  },
  bm25Weight: {
    help: 'share of the BM25 score beside similarity',
    default: 0.4,
    symbol: 'a',
    range: share,
    tune: { from: 0.2, to: 0.7 },
    axis: tenths(0, 1),
    methods: scored,
    idle: needsWords,
  },
  k1: {
    help: 'BM25 term saturation',
    default: 0.9,
    symbol: 'k_1',
    range: { from: 0, to: 100 },
    axis: [0, 0.3, 0.6, 0.9, 1.2, 1.5, 2, 3],
    methods: scored,
    idle: needsWords,
    off: withoutBm25,
  },
  b: {
    help: 'BM25 length normalization',
    default: 0.4,
    symbol: 'b',
    range: share,
    axis: tenths(0, 1),
    methods: scored,
    idle: needsWords,
    off: withoutBm25,
  },
  neighborWeight: {
    help: 'share of the neighbor score',
    default: 0.2,
    range: share,
    tune: { from: 0, to: 0.5 },
    axis: tenths(0, 0.6),
    methods: ['neighbors'],
    idle: needsWords,
  },
  supportDocs: {
    help: 'top hits that support the others',
    default: 5,
    range: count(0),
    tune: { from: 1, to: 10 },
    axis: [1, 2, 3, 5, 7, 10, 15],
    methods: ['neighbors'],
    idle: needsWords,
    off: ({ supportWeight }: Settings) => supportWeight === 0,
  },
  supportWeight: {
    help: 'share of the support',
    default: 0.2,
    range: share,
    tune: { from: 0, to: 0.4 },
    axis: tenths(0, 0.6),
    methods: ['neighbors'],
    idle: needsWords,
  },
  windowWeight: {
    help: 'weight of the query terms that stand close together in the text',
    default: 0.1,
    range: share,
    tune: { from: 0, to: 0.3 },
    axis: tenths(0, 0.5),
    methods: ['neighbors'],
    idle: needsWords,
  },
  windowTerms: {
    help: 'terms in a row that are close together',
    default: 8,
    range: count(1),
    tune: { from: 4, to: 16, log: true },
    axis: [2, 4, 6, 8, 12, 16, 24, 32],
    methods: ['neighbors'],
    idle: needsWords,
    off: ({ windowWeight }: Settings) => windowWeight === 0,
  },
  titleWeight: {
    help: 'weight of the query terms in the title',
    default: 0.1,
    range: share,
    tune: { from: 0, to: 0.3 },
    axis: tenths(0, 0.5),
    methods: ['neighbors'],
    idle: needsWords,
  },
  preselect: {
    help: 'candidates that the context is chosen from (200 with term statistics, else 0)',
    default: undefined,
    symbol: 'M',
    range: count(0),
    axis: [0, 100, 150, 200, 300, 400],
    methods: scored,
    idle: needsWords,
  },
  statistics: {
    help: 'term statistics of the corpus',
    default: undefined,
    check: (_, value) => void checkStatistics(value),
  },
  views: {
    help: 'weights of the views in graph and score',
    default: undefined,
    check: checkViews,
  },
  kernel: {
    help: 'kernel, for tests',
    default: undefined,
    values: ['relaxed-simd', 'simd', 'typescript'],
  },
}

/** Throws unless a value is the weights of views by name. */
function checkViews(name: string, views: unknown): void {
  if (typeof views !== 'object' || views === null) {
    throw new KithError(
      'BAD_SETTING',
      `setting ${name} is ${show(views)}, allowed: weights by view name`,
    )
  }
  for (const [view, weights] of Object.entries(views)) {
    if (!isObject(weights)) continue
    const part = `weight of ${name}.${view}`
    refuseUnknown(weights, { part, known: kinds, code: 'BAD_SETTING' })
  }
  for (const kind of kinds) {
    let sum = 0
    for (const [view, weights] of Object.entries(views as Record<string, Partial<ViewWeights>>)) {
      range(share)(`${name}.${view}.${kind}`, weights?.[kind])
      sum += weights[kind] as number
    }
    // Decimal fractions such as 0.7 + 0.2 + 0.1 miss 1 by a rounding error.
    if (Math.abs(sum - 1) > 1e-9) {
      throw new KithError(
        'BAD_SETTING',
        `the ${kind} weights of ${name} sum to ${sum}, must sum to 1`,
      )
    }
  }
}
