/**
 * The guide to all settings, beside the rows that calls need: a program that only reranks carries no
 * help texts and no ranges of the tuner. A setting without a guide does not compile.
 */

import { type MethodSettings, methodRows } from '../baselines/method-settings.ts'
import { type LabelSettings, labelRows } from '../labels/label-settings.ts'
import { tokenizerNames } from '../text/tokenizer.ts'
import type { AnyRows, SettingGuides, SettingRows, SettingTable } from './setting.ts'
import { rowScalings, settingRows, weights } from './setting-rows.ts'
import type { Settings } from './settings.ts'

const settingGuide: SettingGuides<Settings> = {
  contextSize: {
    help: 'number of candidates to rerank',
    symbol: 'N',
    axis: [5, 7, 10, 15, 20, 30, 40, 50, 70, 100, 150, 200, 300, 500, 700, 1000],
  },
  k: {
    help: 'number of nearest neighbors of a document',
    symbol: 'k',
    tune: { from: 2, to: 50, log: true },
    axis: [2, 3, 5, 7, 10, 14, 20, 30, 50],
  },
  kExp: {
    help: 'number of neighbor vectors to average (0 or 1: none)',
    symbol: 'k_exp',
    tune: { from: 1, to: 12 },
    axis: [1, 2, 3, 4, 5, 6, 8, 10, 12],
  },
  trust: {
    help: 'how far reciprocal sets are extended (0: not at all)',
    symbol: 'τ',
    tune: { from: 0.05, to: 1 },
    axis: [0, 0.125, 0.25, 0.5, 0.75, 1],
  },
  overlap: {
    help: 'minimum overlap of a set that extends another set, as a fraction',
    symbol: 'o',
    axis: tenths(0, 1),
  },
  lambda: {
    help: 'share of the geometric similarity, without texts',
    symbol: 'λ',
    // Below 0.3 the standard mix has left the retriever's own ranking behind.
    tune: { from: 0.3, to: 1 },
    axis: tenths(0, 1),
  },
  weight: {
    help: 'how similarity becomes a neighbor weight',
    axis: weights,
  },
  weightParameter: {
    help: 'exponent of exp weights',
    symbol: 'p',
    tune: { from: 0.1, to: 20, log: true },
    axis: [0.1, 0.3, 1, 3, 10],
  },
  rowScaling: {
    help: 'scaling of each document’s similarities',
    axis: rowScalings,
  },
  metric: {
    help: 'vector similarity (auto: the metric that fits the order of the hits)',
  },
  mix: {
    help: 'how scores are combined (words: same as standard without texts)',
    axis: ['standard', 'raw'],
  },
  tokenizer: {
    help: 'tokenizer (default: the tokenizer of the term statistics, else english)',
    axis: tokenizerNames,
  },
  bm25Weight: {
    help: 'share of the BM25 score; similarity has the rest',
    symbol: 'a',
    tune: { from: 0.2, to: 0.7 },
    axis: tenths(0, 1),
  },
  k1: {
    help: 'BM25 term saturation',
    symbol: 'k_1',
    axis: [0, 0.3, 0.6, 0.9, 1.2, 1.5, 2, 3],
  },
  b: {
    help: 'BM25 length normalization',
    symbol: 'b',
    axis: tenths(0, 1),
  },
  neighborWeight: {
    help: 'share of the neighbor score',
    tune: { from: 0, to: 0.5 },
    axis: tenths(0, 0.6),
  },
  supportDocs: {
    help: 'number of top hits that support other hits',
    tune: { from: 1, to: 10 },
    axis: [1, 2, 3, 5, 7, 10, 15],
  },
  supportWeight: {
    help: 'share of the support',
    tune: { from: 0, to: 0.4 },
    axis: tenths(0, 0.6),
  },
  windowWeight: {
    help: 'weight of the query terms that stand close together in the text',
    tune: { from: 0, to: 0.3 },
    axis: tenths(0, 0.5),
  },
  windowTerms: {
    help: 'window size in terms',
    tune: { from: 4, to: 16, log: true },
    axis: [2, 4, 6, 8, 12, 16, 24, 32],
  },
  titleWeight: {
    help: 'weight of the query terms in the title',
    tune: { from: 0, to: 0.3 },
    axis: tenths(0, 0.5),
  },
  preselect: {
    help: 'candidates to choose the context from (200 with term statistics, else 0)',
    symbol: 'M',
    axis: [0, 100, 150, 200, 300, 400],
  },
  statistics: {
    help: 'term statistics of the corpus',
  },
  views: {
    help: 'weights of the views in graph and score',
  },
  kernel: {
    help: 'kernel, for tests',
  },
}

const methodGuide: SettingGuides<MethodSettings> = {
  ...settingGuide,
  method: { help: 'reranking method' },
  feedbackDocs: {
    help: 'number of top candidates that rocchio treats as relevant',
    tune: { from: 1, to: 10 },
  },
  feedbackWeight: {
    help: 'weight of the top candidates in the new query vector (rocchio)',
    tune: { from: 0, to: 0.7 },
  },
  neighborRrfK: {
    help: 'constant added to ranks (rrf)',
    tune: { from: 1, to: 200, log: true },
  },
}

const labelGuide: SettingGuides<LabelSettings> = {
  ...settingGuide,
  target: { help: 'evidence for the labels' },
  aggregate: { help: 'how the evidence of several relevant documents is combined' },
  normalizeOver: { help: 'documents that evidence is normalized over' },
  epsilon: {
    help: 'probability moved to other documents (uniform), or match-mixed',
    symbol: 'ε',
  },
  keepGroundTruth: { help: 'always give the ground truth a label' },
  labelDepth: {
    help: 'documents per query with a label above 0',
    symbol: 'n_max',
    tune: { from: 2, to: 32, log: true },
  },
  boost: {
    help: 'factor of the ground truth’s evidence',
    symbol: 'b',
    tune: { from: 1, to: 6, log: true },
  },
  normalize: { help: 'normalization of evidence', symbol: 'f_n' },
}

/** The settings of a ranking by neighbors. */
export const settingTable: SettingTable<Settings> = /* @__PURE__ */ join(settingRows, settingGuide)

/** The settings of all methods. */
export const methodTable: SettingTable<MethodSettings> = /* @__PURE__ */ join(
  methodRows,
  methodGuide,
)

/** The settings of labels. */
export const labelTable: SettingTable<LabelSettings> = /* @__PURE__ */ join(labelRows, labelGuide)

function join<T>(rows: SettingRows<T>, guides: SettingGuides<T>): SettingTable<T> {
  const guideOf = guides as Readonly<Record<string, object>>
  const joined = Object.entries(rows as AnyRows).map(([name, row]) => [
    name,
    { ...guideOf[name], ...row },
  ])
  return Object.fromEntries(joined) as SettingTable<T>
}

/** Numbers in steps of 0.1. */
/* @__NO_SIDE_EFFECTS__ */
function tenths(from: number, to: number): number[] {
  const count = Math.round((to - from) * 10) + 1
  return Array.from({ length: count }, (_, i) => (Math.round(from * 10) + i) / 10)
}
