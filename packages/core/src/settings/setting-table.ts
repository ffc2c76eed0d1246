import { KithError } from '../error.ts'
import { isObject } from '../matrix.ts'
import { checkStatistics } from '../text/term-statistics.ts'
import { checkTokenizer, tokenizerNames } from '../text/tokenizer.ts'
import { refuseUnknown } from './names.ts'
import { above, below, is, type Named, only, ranking, scores, texts } from './needs.ts'
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

/** Nothing is made but similarities or neighbors. */
const plain = (_: Named, { job }: Use) => job === 'similarity' || job === 'neighbors'

/** The BM25 score and the support take part. */
const words = [ranking, texts, is('mix', 'words')]
const byWords = (settings: Named, use: Use) => words.every((need) => need.holds(settings, use))

/** The neighbors have a share of the score, or the result names them. */
const scoredBy = ({ method = 'neighbors' }: Named, { job = 'ranking' }: Use) =>
  method === 'neighbors' && job === 'ranking'
const inWords = (settings: Named, use: Use) => scoredBy(settings, use) && byWords(settings, use)
const inMix = (settings: Named, use: Use) => scoredBy(settings, use) && !byWords(settings, use)
const neighbors = [
  only('with texts', inWords, above('neighborWeight', 0)),
  only('without texts', inMix, below('lambda', 1)),
]

/** The weights that a view has. */
const kinds = ['graph', 'score'] as const

/** The settings of a ranking by neighbors: everything that Kith knows about each of them. */
export const settingTable: SettingTable<Settings> = {
  contextSize: {
    help: 'number of candidates to rerank',
    default: 50,
    symbol: 'N',
    range: count(1),
    axis: [5, 7, 10, 15, 20, 30, 40, 50, 70, 100, 150, 200, 300, 500, 700, 1000],
  },
  k: {
    help: 'number of nearest neighbors of a document',
    default: 10,
    symbol: 'k',
    range: count(1),
    tune: { from: 2, to: 50, log: true },
    axis: [2, 3, 5, 7, 10, 14, 20, 30, 50],
    methods: graph,
    needs: neighbors,
  },
  kExp: {
    help: 'number of neighbor vectors to average (0 or 1: none)',
    default: 4,
    symbol: 'k_exp',
    range: count(0),
    tune: { from: 1, to: 12 },
    axis: [1, 2, 3, 4, 5, 6, 8, 10, 12],
    methods: graph,
    needs: [scores, ...neighbors],
  },
  trust: {
    help: 'how far reciprocal sets are extended (0: not at all)',
    default: 0,
    symbol: 'τ',
    range: share,
    tune: { from: 0.05, to: 1 },
    axis: [0, 0.125, 0.25, 0.5, 0.75, 1],
    methods: graph,
    needs: neighbors,
  },
  overlap: {
    help: 'minimum overlap of a set that extends another set, as a fraction',
    default: 2 / 3,
    symbol: 'o',
    range: share,
    axis: tenths(0, 1),
    methods: graph,
    needs: [above('trust', 0), ...neighbors],
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
    needs: [
      scores,
      only(
        'with texts',
        (_, use) => use.texts && ranking.holds(_, use),
        is('mix', 'raw', 'standard'),
      ),
    ],
  },
  weight: {
    help: 'how similarity becomes a neighbor weight',
    default: 'linear',
    values: weights,
    axis: weights,
    methods: graph,
    needs: [scores, ...neighbors],
  },
  weightParameter: {
    help: 'exponent of exp weights',
    default: 1,
    symbol: 'p',
    range: { from: 0, to: 100, above: true },
    tune: { from: 0.1, to: 20, log: true },
    axis: [0.1, 0.3, 1, 3, 10],
    methods: graph,
    needs: [scores, is('weight', 'exp'), ...neighbors],
  },
  rowScaling: {
    help: 'scaling of the rows of similarities',
    default: 'none',
    values: rowScalings,
    axis: rowScalings,
    methods: graph,
  },
  metric: {
    help: 'vector similarity (auto: the metric that fits the order of the hits)',
    default: 'auto',
    needs: [
      only('with texts', byWords, below('bm25Weight', 1)),
      // With texts the graph has cosines.
      only('with texts', ({ views }, use) => views === undefined && use.texts, scores),
    ],
    values: ['auto', 'dot', 'cosine'],
  },
  mix: {
    help: 'how scores are combined (words: same as standard without texts)',
    default: 'words',
    values: ['raw', 'standard', 'words'],
    axis: ['standard', 'raw'],
    methods: scored,
    needs: [scores],
  },
  tokenizer: {
    help: 'tokenizer (default: the tokenizer of the term statistics, else english)',
    default: undefined,
    check: checkTokenizer,
    axis: tokenizerNames,
    methods: compared,
    needs: [texts],
  },
  bm25Weight: {
    help: 'share of the BM25 score beside similarity',
    default: 0.4,
    symbol: 'a',
    range: share,
    tune: { from: 0.2, to: 0.7 },
    axis: tenths(0, 1),
    methods: scored,
    needs: words,
  },
  k1: {
    help: 'BM25 term saturation',
    default: 0.9,
    symbol: 'k_1',
    range: { from: 0, to: 100 },
    axis: [0, 0.3, 0.6, 0.9, 1.2, 1.5, 2, 3],
    methods: scored,
    needs: [...words, above('bm25Weight', 0)],
  },
  b: {
    help: 'BM25 length normalization',
    default: 0.4,
    symbol: 'b',
    range: share,
    axis: tenths(0, 1),
    methods: scored,
    needs: [...words, above('bm25Weight', 0), above('k1', 0)],
  },
  neighborWeight: {
    help: 'share of the neighbor score',
    default: 0.2,
    range: share,
    tune: { from: 0, to: 0.5 },
    axis: tenths(0, 0.6),
    methods: ['neighbors'],
    needs: words,
  },
  supportDocs: {
    help: 'number of top hits that support other hits',
    default: 5,
    range: count(0),
    tune: { from: 1, to: 10 },
    axis: [1, 2, 3, 5, 7, 10, 15],
    methods: ['neighbors'],
    needs: [...words, above('supportWeight', 0)],
  },
  supportWeight: {
    help: 'share of the support',
    default: 0.2,
    range: share,
    tune: { from: 0, to: 0.4 },
    axis: tenths(0, 0.6),
    methods: ['neighbors'],
    needs: words,
  },
  windowWeight: {
    help: 'weight of the query terms that stand close together in the text',
    default: 0.1,
    range: share,
    tune: { from: 0, to: 0.3 },
    axis: tenths(0, 0.5),
    methods: ['neighbors'],
    needs: words,
  },
  windowTerms: {
    help: 'window size in terms',
    default: 8,
    range: count(1),
    tune: { from: 4, to: 16, log: true },
    axis: [2, 4, 6, 8, 12, 16, 24, 32],
    methods: ['neighbors'],
    needs: [...words, above('windowWeight', 0)],
  },
  titleWeight: {
    help: 'weight of the query terms in the title',
    default: 0.1,
    range: share,
    tune: { from: 0, to: 0.3 },
    axis: tenths(0, 0.5),
    methods: ['neighbors'],
    needs: words,
  },
  preselect: {
    help: 'candidates that the context is chosen from (200 with term statistics, else 0)',
    default: undefined,
    symbol: 'M',
    range: count(0),
    axis: [0, 100, 150, 200, 300, 400],
    methods: scored,
    needs: words,
  },
  statistics: {
    help: 'term statistics of the corpus',
    default: undefined,
    methods: compared,
    // Similarities take the tokenizer of the statistics, and no more.
    needs: [texts, only('for similarities and neighbors', plain, is('tokenizer', 'auto'))],
    check: (_, value) => void checkStatistics(value),
  },
  views: {
    help: 'weights of the views in graph and score',
    default: undefined,
    methods: compared,
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
      `setting ${name} must be an object of weights by view name, got ${show(views)}`,
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
      throw new KithError('BAD_SETTING', `the ${kind} weights of ${name} must sum to 1, got ${sum}`)
    }
  }
}
