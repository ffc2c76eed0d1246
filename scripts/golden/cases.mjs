/** The cases on the golden contexts: settings that differ from the default, and labels. */
import { labelPresets, presets } from '@kith/core'

const raw = { mix: 'raw', k: 6, kExp: 3, lambda: 0.451 }
const plain = { ...raw, kExp: 1, lambda: 0 }
const cosine = { metric: 'cosine' }

/** Settings by context, each with a name. */
const wanted = {
  clusters: {
    default: {},
    cosine,
    raw,
    'raw-cosine': { ...raw, ...cosine },
    'lambda-1': { ...raw, lambda: 1 },
    'no-expansion': { ...plain, kExp: 0 },
    'expansion-beyond-k': { ...raw, k: 3, kExp: 9 },
    'k-1': { ...raw, k: 1 },
    'k-beyond-rows': { ...plain, k: 400 },
    exp: { ...plain, weight: 'exp', weightParameter: 0.02 },
    'exp-without-overflow': { ...raw, weight: 'exp', weightParameter: 10 },
    binary: { ...plain, weight: 'binary' },
    'scale-max': { ...raw, rowScaling: 'max' },
    'scale-mean': { ...raw, rowScaling: 'mean' },
    'scale-mean-trust': { ...plain, rowScaling: 'mean', trust: 0.5 },
    'trust-low': { ...plain, trust: 0.128 },
    'trust-half-to-even': { ...plain, k: 4, trust: 0.5 },
    'trust-1': { ...plain, trust: 1 },
    'overlap-0': { ...plain, trust: 0.3, overlap: 0 },
    'overlap-1': { ...plain, trust: 0.3, overlap: 1 },
    'behind-the-context': { contextSize: 10 },
  },
  signed: {
    default: {},
    linear: plain,
    'linear-wide': { ...plain, k: 15 },
    exp: { ...plain, weight: 'exp', weightParameter: 0.1 },
    'scale-max': { ...raw, rowScaling: 'max' },
    cosine: { ...raw, ...cosine, k: 12 },
  },
  ties: {
    default: {},
    raw: { ...raw, k: 5 },
    cosine: { ...raw, ...cosine, k: 5 },
    trust: { ...plain, k: 5, trust: 0.4 },
    binary: { ...plain, k: 7, weight: 'binary' },
  },
  duplicates: {
    default: {},
    raw: { ...raw, k: 4 },
    cosine: { ...raw, ...cosine, k: 3, trust: 0.5 },
  },
  same: { default: {}, cosine, raw },
  zeros: {
    default: {},
    cosine,
    'raw-cosine': { ...raw, ...cosine },
    exp: { ...plain, weight: 'exp', weightParameter: 0.1 },
    'scale-max': { ...raw, rowScaling: 'max' },
    'scale-mean': { ...raw, rowScaling: 'mean' },
  },
  'zero-query': { default: {}, cosine: { ...plain, ...cosine }, raw },
  opposed: { default: {}, raw, cosine: { ...raw, ...cosine } },
  alone: { default: {}, raw },
  one: { default: {}, raw, 'raw-trust': { ...raw, trust: 0.5 } },
  two: { default: {}, raw },
  tiny: { default: {}, 'scale-mean': { ...raw, k: 3, rowScaling: 'mean' } },
  decimals: {
    default: {},
    cosine,
    'msmarco-tas-b': presets['msmarco-tas-b'],
    'msmarco-cocondenser': presets['msmarco-cocondenser'],
    'msmarco-coder-cocondenser': presets['msmarco-coder-cocondenser'],
  },
  words: {
    default: {},
    cosine,
    'embeddings-alone': { views: { vectors: { graph: 1, score: 1 } } },
    'words-alone': { views: { texts: { graph: 1, score: 1 } } },
    'three-weighed': {
      ...cosine,
      k: 6,
      views: {
        vectors: { graph: 0.5, score: 0.2 },
        texts: { graph: 0.2, score: 0.5 },
        second: { graph: 0.3, score: 0.3 },
      },
    },
    'scale-max': { rowScaling: 'max', weight: 'exp', weightParameter: 5 },
  },
  scripts: { default: {}, 'words-alone': { views: { texts: { graph: 1, score: 1 } } } },
  'same-words': { default: {}, cosine },
}

const two = { rows: [1, 4], grades: [1, 3] }
const targets = ['mixed', 'rnn', 'geometric', 'joint', 'one-hot', 'uniform', 'query-centric']
const everyTarget = (settings) =>
  Object.fromEntries(targets.map((target) => [target, { groundTruth: two, target, ...settings }]))

/** Ground truth and label settings by context, each with a name. */
const wantedLabels = {
  clusters: {
    ...everyTarget({ labelDepth: 6 }),
    raw: { groundTruth: two, ...raw, labelDepth: 6 },
    max: { groundTruth: two, ...raw, labelDepth: 6, aggregate: 'max' },
    sum: { groundTruth: two, ...raw, labelDepth: 6, aggregate: 'sum', normalize: 'std' },
    'one-document': { groundTruth: { rows: [2] }, ...raw, labelDepth: 5 },
    std: { groundTruth: two, labelDepth: 6, normalize: 'std' },
    'normalize-max': { groundTruth: two, ...raw, labelDepth: 6, normalize: 'max' },
    none: { groundTruth: two, labelDepth: 6, normalize: 'none' },
    'over-kept': { groundTruth: two, ...raw, labelDepth: 6, normalizeOver: 'kept' },
    'std-over-kept': { groundTruth: two, labelDepth: 6, normalize: 'std', normalizeOver: 'kept' },
    'keep-all': { groundTruth: two, ...raw, labelDepth: 400 },
    'truth-may-fall': {
      groundTruth: { rows: [1, 2, 3] },
      ...raw,
      labelDepth: 2,
      keepGroundTruth: false,
    },
    'more-truth-than-kept': { groundTruth: { rows: [1, 2, 3] }, ...raw, labelDepth: 2 },
    boost: { groundTruth: two, ...raw, labelDepth: 6, boost: 3 },
    epsilon: { groundTruth: two, target: 'uniform', epsilon: 0.1 },
    'nobody-else': {
      groundTruth: { rows: Array.from({ length: 24 }, (_, i) => i + 1) },
      target: 'uniform',
      epsilon: 0.1,
    },
  },
  signed: everyTarget({ labelDepth: 5, normalize: 'max' }),
  ties: { mixed: { groundTruth: { rows: [2] }, ...raw, labelDepth: 5 } },
  same: { mixed: { groundTruth: { rows: [3] }, labelDepth: 4 } },
  opposed: {
    'max-below-0': {
      groundTruth: { rows: [1] },
      target: 'query-centric',
      ...raw,
      normalize: 'max',
      labelDepth: 4,
    },
  },
  one: { mixed: { groundTruth: { rows: [1] } } },
  decimals: {
    'coder-tas-b': { groundTruth: two, ...labelPresets['paper-tas-b'] },
    'coder-cocondenser': { groundTruth: two, ...labelPresets['paper-cocondenser'] },
  },
  words: {
    ...everyTarget({ labelDepth: 6 }),
    'joint-cosine': { groundTruth: two, target: 'joint', ...cosine },
  },
}

/** All cases of similarities and rankings. */
export const rankingCases = Object.entries(wanted).flatMap(([context, settings]) =>
  Object.entries(settings).map(([name, some]) => ({
    id: `${context}/${name}`,
    context,
    settings: some,
  })),
)

/** All cases of labels. */
export const labelCases = Object.entries(wantedLabels).flatMap(([context, settings]) =>
  Object.entries(settings).map(([name, { groundTruth, ...some }]) => ({
    id: `${context}/${name}`,
    context,
    groundTruth,
    settings: some,
  })),
)
