import { idleReason, type Setting, settingTable } from '@kith/core/internal'
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
  | 'windowWeight'
  | 'windowTerms'
  | 'titleWeight'
  | 'preselect'

/** A slider of the panel. */
export interface SliderRule {
  name: SliderName
  label: string
  /** The setting's symbol in the method. */
  symbol?: string
  /** The effect of moving the slider, in a sentence. */
  help: string
  from: number
  to: number
  step: number
  /** The values that the curve of the mean is drawn through. */
  stops: readonly number[]
  /** The slider is hidden if the setting has no effect. */
  isIdle?(settings: PageSettings, use: Use): boolean
}

const tenths = Array.from({ length: 11 }, (_, i) => i / 10)

/** A slider of a setting: its range is the page's, everything else the table's. */
function slider(
  name: Exclude<SliderName, 'textScore' | 'textGraph'>,
  label: string,
  [from, to, step]: readonly [from: number, to: number, step: number],
): SliderRule {
  const row: Setting<number | undefined> = settingTable[name]
  return {
    name,
    label,
    ...(row.symbol === undefined ? {} : { symbol: row.symbol }),
    help: `${row.help[0]!.toUpperCase()}${row.help.slice(1)}.`,
    ...{ from, to, step },
    stops: row.axis!,
    isIdle: (settings, use) =>
      // The page shows the neighbors, too, as an explanation does.
      idleReason(
        row,
        { ...settings, mix: mixOf(settings, use), method: 'neighbors' },
        { ...use, job: 'explanation' },
      ) !== undefined,
  }
}

/** The sliders of the method, in its order. */
export const methodSliders: readonly SliderRule[] = [
  slider('contextSize', 'Context size', [5, 1000, 1]),
  slider('k', 'Neighbors', [1, 50, 1]),
  slider('kExp', 'Expansion', [0, 20, 1]),
  slider('trust', 'Trust', [0, 1, 0.01]),
  slider('overlap', 'Overlap', [0, 1, 0.01]),
  slider('lambda', 'Similarity share', [0, 1, 0.01]),
  slider('weightParameter', 'Exponent', [0.1, 20, 0.1]),
]

/** The sliders of rankings with words: the weight of each part of the score. */
export const wordsSliders: readonly SliderRule[] = [
  slider('bm25Weight', 'BM25 weight', [0, 1, 0.01]),
  slider('neighborWeight', 'Neighbor weight', [0, 1, 0.01]),
  slider('supportWeight', 'Support weight', [0, 1, 0.01]),
  slider('supportDocs', 'Support documents', [0, 30, 1]),
  slider('windowWeight', 'Window weight', [0, 1, 0.01]),
  slider('windowTerms', 'Window terms', [1, 50, 1]),
  slider('titleWeight', 'Title weight', [0, 1, 0.01]),
  slider('preselect', 'Preselect', [0, 1000, 10]),
]

/** The sliders of the BM25 score itself, which hardly ever need to move. */
export const scoreSliders: readonly SliderRule[] = [
  slider('k1', 'Term saturation', [0, 3, 0.05]),
  slider('b', 'Length normalization', [0, 1, 0.05]),
]

/** The sliders of the views; the embeddings have what the words leave. */
export const viewSliders: readonly SliderRule[] = [
  {
    name: 'textScore',
    label: 'Text weight in the score',
    help: 'Weight of the texts in the similarity; the embeddings have the rest.',
    from: 0,
    to: 1,
    step: 0.01,
    stops: tenths,
    isIdle: (settings, use) => mixOf(settings, use) !== 'standard',
  },
  {
    name: 'textGraph',
    label: 'Text weight in the graph',
    help: 'Weight of the texts in the search for neighbors; the embeddings have the rest.',
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

/** How far a slider goes within a dataset. */
export function endOf({ name, to }: SliderRule, depth: number): number {
  return counting.has(name) ? Math.min(to, depth) : to
}

/** The position of a slider. */
export function positionOf(name: SliderName, settings: PageSettings): number {
  return name === 'preselect' ? preselectOf(settings) : settings[name]
}

/** The setting that a fresh curve is drawn along: the one that matters most. */
export function firstSlider(settings: PageSettings, use: Use): SliderName {
  return mixOf(settings, use) === 'words' ? 'bm25Weight' : 'lambda'
}

/** The stops of a slider within a dataset, with the current value among them. */
export function stopsOf(name: SliderName, settings: PageSettings, depth: number): number[] {
  const { stops } = sliderRule(name)
  const within = stops.filter((stop) => !counting.has(name) || stop <= depth)
  return [...new Set([...within, positionOf(name, settings)])].sort((a, b) => a - b)
}
