import { mixOf, type PageSettings, preselectOf, type Use } from '../model/page-settings.ts'

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
  | 'bm25Weight'
  | 'k1'
  | 'b'
  | 'neighborWeight'
  | 'supportDocs'
  | 'supportWeight'
  | 'preselect'

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
  isIdle?(settings: PageSettings, use: Use): boolean
}

const tenths = Array.from({ length: 11 }, (_, i) => i / 10)

/** Settings of the second generation do nothing in the first, in labels, and without texts. */
const withoutWords = (settings: PageSettings, use: Use): boolean => mixOf(settings, use) !== 'words'

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
    label: 'Neighbors',
    symbol: 'k',
    help: 'How many nearest neighbors a document has.',
    from: 1,
    to: 50,
    step: 1,
    stops: [1, 2, 4, 6, 8, 10, 12, 15, 20, 30, 40, 50],
  },
  {
    name: 'kExp',
    label: 'Expansion',
    symbol: 'k_exp',
    help: 'Over how many neighbors a neighbor vector is averaged; 0 and 1 leave it alone.',
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
    help: '1 is similarity alone, 0 is neighbors alone.',
    from: 0,
    to: 1,
    step: 0.01,
    stops: tenths,
    isIdle: (settings, use) => !withoutWords(settings, use),
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

/** The sliders of the second generation: what each part of the score counts for. */
export const wordsSliders: readonly SliderRule[] = [
  {
    name: 'bm25Weight',
    label: 'Share of words',
    symbol: 'a',
    help: 'The share of the words score beside similarity, which has the rest.',
    from: 0,
    to: 1,
    step: 0.01,
    stops: tenths,
    isIdle: withoutWords,
  },
  {
    name: 'neighborWeight',
    label: 'Share of neighbors',
    help: 'What shared reciprocal neighbors count for in the whole score.',
    from: 0,
    to: 1,
    step: 0.01,
    stops: tenths,
    isIdle: withoutWords,
  },
  {
    name: 'supportWeight',
    label: 'Share of support',
    help: 'What similarity to the best candidates counts for in the whole score.',
    from: 0,
    to: 1,
    step: 0.01,
    stops: tenths,
    isIdle: withoutWords,
  },
  {
    name: 'supportDocs',
    label: 'Supporters',
    help: 'How many of the best candidates by similarity and words support the others.',
    from: 0,
    to: 30,
    step: 1,
    stops: [0, 1, 2, 3, 5, 7, 10, 15, 20, 30],
    isIdle: (settings, use) => withoutWords(settings, use) || settings.supportWeight === 0,
  },
  {
    name: 'preselect',
    label: 'Chosen from',
    symbol: 'M',
    help: 'From how many first candidates similarity and words choose the context; 0 takes the first ones.',
    from: 0,
    to: 1000,
    step: 10,
    stops: [0, 100, 150, 200, 300, 400],
    isIdle: withoutWords,
  },
]

/** The sliders of the words score itself, which hardly ever need to move. */
export const scoreSliders: readonly SliderRule[] = [
  {
    name: 'k1',
    label: 'Saturation',
    symbol: 'k_1',
    help: 'How much a word counts when it comes again; 0: once is enough.',
    from: 0,
    to: 3,
    step: 0.05,
    stops: [0, 0.3, 0.6, 0.9, 1.2, 1.5, 2, 3],
    isIdle: (settings, use) => withoutWords(settings, use) || settings.bm25Weight === 0,
  },
  {
    name: 'b',
    label: 'Length',
    symbol: 'b',
    help: 'How much the words score makes up for the length of a text.',
    from: 0,
    to: 1,
    step: 0.05,
    stops: tenths,
    isIdle: (settings, use) => withoutWords(settings, use) || settings.bm25Weight === 0,
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
    isIdle: (settings, use) => mixOf(settings, use) !== 'standard',
  },
  {
    name: 'textGraph',
    label: 'Words in the graph',
    help: 'What the words count for in finding neighbors; the embeddings have the rest.',
    from: 0,
    to: 1,
    step: 0.01,
    stops: tenths,
    isIdle: (settings, use) => mixOf(settings, use) === 'raw',
  },
]

const all = [...methodSliders, ...wordsSliders, ...scoreSliders, ...viewSliders]

/** Settings that count candidates: there are no more than the run is deep. */
const counting: ReadonlySet<SliderName> = new Set(['contextSize', 'preselect'])

/** The rule of a slider. */
export function sliderRule(name: SliderName): SliderRule {
  return all.find((rule) => rule.name === name)!
}

/** How far a slider goes within a collection. */
export function endOf({ name, to }: SliderRule, depth: number): number {
  return counting.has(name) ? Math.min(to, depth) : to
}

/** Where a slider stands. */
export function positionOf(name: SliderName, settings: PageSettings): number {
  return name === 'preselect' ? preselectOf(settings) : settings[name]
}

/** The setting that a fresh curve is drawn along: the one that matters most. */
export function firstSlider(settings: PageSettings, use: Use): SliderName {
  return mixOf(settings, use) === 'words' ? 'bm25Weight' : 'lambda'
}

/** The stops of a slider within a collection, with the current value among them. */
export function stopsOf(name: SliderName, settings: PageSettings, depth: number): number[] {
  const { stops } = sliderRule(name)
  const within = stops.filter((stop) => !counting.has(name) || stop <= depth)
  return [...new Set([...within, positionOf(name, settings)])].sort((a, b) => a - b)
}
