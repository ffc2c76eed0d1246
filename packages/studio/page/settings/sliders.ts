import type { PageSettings } from '../model/page-settings.ts'

/** The settings that are numbers one can move. */
export type SliderName =
  | 'contextSize'
  | 'k'
  | 'kExp'
  | 'trust'
  | 'overlap'
  | 'lambda'
  | 'weightParameter'
  | 'textScore'
  | 'textGraph'

/** One slider of the panel. */
export interface SliderRule {
  name: SliderName
  label: string
  /** Its symbol in the method. */
  symbol?: string
  /** What moving it does, in a sentence. */
  help: string
  from: number
  to: number
  step: number
  /** The values that the curve of the mean is drawn through. */
  stops: readonly number[]
  /** Where the setting does nothing, its slider is not shown. */
  isIdle?(settings: PageSettings): boolean
}

const tenths = Array.from({ length: 11 }, (_, i) => i / 10)

/** The sliders of the method, in its order. */
export const methodSliders: readonly SliderRule[] = [
  {
    name: 'contextSize',
    label: 'Context',
    symbol: 'N',
    help: 'How many of the first candidates are reordered.',
    from: 5,
    to: 1000,
    step: 1,
    stops: [5, 10, 20, 30, 40, 50, 60, 80, 100],
  },
  {
    name: 'k',
    label: 'Neighbours',
    symbol: 'k',
    help: 'How many nearest neighbours a document has.',
    from: 1,
    to: 50,
    step: 1,
    stops: [1, 2, 4, 6, 8, 10, 12, 15, 20, 30, 40, 50],
  },
  {
    name: 'kExp',
    label: 'Expansion',
    symbol: 'k_exp',
    help: 'Over how many neighbours a neighbour vector is averaged; 0 and 1 leave it alone.',
    from: 0,
    to: 20,
    step: 1,
    stops: [0, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20],
  },
  {
    name: 'trust',
    label: 'Trust',
    symbol: 'τ',
    help: 'How far reciprocal sets are extended by those of their members.',
    from: 0,
    to: 1,
    step: 0.01,
    stops: tenths,
  },
  {
    name: 'overlap',
    label: 'Overlap',
    symbol: 'o',
    help: 'What part of an extending set must lie in the extended one.',
    from: 0,
    to: 1,
    step: 0.01,
    stops: tenths,
    isIdle: ({ trust }) => trust === 0,
  },
  {
    name: 'lambda',
    label: 'Geometric share',
    symbol: 'λ',
    help: '1 is similarity alone, 0 is neighbours alone.',
    from: 0,
    to: 1,
    step: 0.01,
    stops: tenths,
  },
  {
    name: 'weightParameter',
    label: 'Exponent',
    symbol: 'p',
    help: 'How steeply exp weights grow with similarity.',
    from: 0.1,
    to: 20,
    step: 0.1,
    stops: [0.1, 0.5, 1, 2, 4, 8, 12, 16, 20],
    isIdle: ({ weight }) => weight !== 'exp',
  },
]

/** The sliders of the views; the embeddings have what the words leave. */
export const viewSliders: readonly SliderRule[] = [
  {
    name: 'textScore',
    label: 'Words in the score',
    help: 'What the words count for in the geometric term; the embeddings have the rest.',
    from: 0,
    to: 1,
    step: 0.01,
    stops: tenths,
  },
  {
    name: 'textGraph',
    label: 'Words in the graph',
    help: 'What the words count for in finding neighbours; the embeddings have the rest.',
    from: 0,
    to: 1,
    step: 0.01,
    stops: tenths,
  },
]

/** The rule of a slider. */
export function sliderRule(name: SliderName): SliderRule {
  return [...methodSliders, ...viewSliders].find((rule) => rule.name === name)!
}

/** The stops of a slider within a collection, with the current value among them. */
export function stopsOf(name: SliderName, settings: PageSettings, depth: number): number[] {
  const { stops } = sliderRule(name)
  const within = stops.filter((stop) => name !== 'contextSize' || stop <= depth)
  return [...new Set([...within, settings[name]])].sort((a, b) => a - b)
}
