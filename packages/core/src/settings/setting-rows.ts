import { KithError } from '../error.ts'
import { isObject } from '../matrix.ts'
import { checkStatistics } from '../text/term-statistics.ts'
import { checkTokenizer } from '../text/tokenizer.ts'
import { refuseUnknown } from './names.ts'
import { above, below, is, type Named, only, ranking, scores, texts } from './needs.ts'
import type { SettingRows, Use } from './setting.ts'
import { type Range, range } from './setting-rules.ts'
import type { Settings, ViewWeights } from './settings.ts'
import { show } from './show.ts'

/** All neighbor weights by name; the kernel knows each by its place. */
export const weights = ['linear', 'exp', 'binary'] as const

/** All scalings of rows by name. */
export const rowScalings = ['none', 'max', 'mean'] as const

const count = (from: number): Range => ({ from, to: 16_384, integer: true })
const share: Range = { from: 0, to: 1 }

/** The methods that build the graph of neighbors, and the methods that compare texts. */
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

/** The settings of a ranking by neighbors: what a call needs to know of each; setting-guide.ts has the rest. */
export const settingRows: SettingRows<Settings> = {
  contextSize: {
    default: 50,
    range: count(1),
  },
  k: {
    default: 10,
    range: count(1),
    methods: graph,
    needs: neighbors,
  },
  kExp: {
    default: 4,
    range: count(0),
    methods: graph,
    needs: [scores, ...neighbors],
  },
  trust: {
    default: 0,
    range: share,
    methods: graph,
    needs: neighbors,
  },
  overlap: {
    default: 2 / 3,
    range: share,
    methods: graph,
    needs: [above('trust', 0), ...neighbors],
  },
  lambda: {
    default: 0.7,
    range: share,
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
    default: 'linear',
    values: weights,
    methods: graph,
    needs: [scores, ...neighbors],
  },
  weightParameter: {
    default: 1,
    range: { from: 0, to: 100, above: true },
    methods: graph,
    needs: [scores, is('weight', 'exp'), ...neighbors],
  },
  rowScaling: {
    default: 'none',
    values: rowScalings,
    methods: graph,
  },
  metric: {
    default: 'auto',
    needs: [
      only('with texts', byWords, below('bm25Weight', 1)),
      // With texts the graph has cosines.
      only('with texts', ({ views }, use) => views === undefined && use.texts, scores),
    ],
    values: ['auto', 'dot', 'cosine'],
  },
  mix: {
    default: 'words',
    values: ['raw', 'standard', 'words'],
    methods: scored,
    needs: [scores],
  },
  tokenizer: {
    default: undefined,
    check: checkTokenizer,
    methods: compared,
    needs: [texts],
  },
  bm25Weight: {
    default: 0.4,
    range: share,
    methods: scored,
    needs: words,
  },
  k1: {
    default: 0.9,
    range: { from: 0, to: 100 },
    methods: scored,
    needs: [...words, above('bm25Weight', 0)],
  },
  b: {
    default: 0.4,
    range: share,
    methods: scored,
    needs: [...words, above('bm25Weight', 0), above('k1', 0)],
  },
  neighborWeight: {
    default: 0.2,
    range: share,
    methods: ['neighbors'],
    needs: words,
  },
  supportDocs: {
    default: 5,
    range: count(0),
    methods: ['neighbors'],
    needs: [...words, above('supportWeight', 0)],
  },
  supportWeight: {
    default: 0.2,
    range: share,
    methods: ['neighbors'],
    needs: words,
  },
  windowWeight: {
    default: 0.1,
    range: share,
    methods: ['neighbors'],
    needs: words,
  },
  windowTerms: {
    default: 8,
    range: count(1),
    methods: ['neighbors'],
    needs: [...words, above('windowWeight', 0)],
  },
  titleWeight: {
    default: 0.1,
    range: share,
    methods: ['neighbors'],
    needs: words,
  },
  preselect: {
    default: undefined,
    range: count(0),
    methods: scored,
    needs: words,
  },
  statistics: {
    default: undefined,
    methods: compared,
    // Similarities take the tokenizer of the statistics, and no more.
    needs: [texts, only('for similarities and neighbors', plain, is('tokenizer', 'auto'))],
    check: (_, value) => void checkStatistics(value),
  },
  views: {
    default: undefined,
    methods: compared,
    check: checkViews,
  },
  kernel: {
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
