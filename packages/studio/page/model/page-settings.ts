import {
  type LabelSettings,
  labelPresets,
  type PartialSettings,
  type PresetName,
  presets,
  type Settings,
} from '@kith/core'

/** The settings of the method as the page holds them: flat, with the weights of the words as numbers. */
export interface PageSettings extends Omit<Settings, 'views' | 'kernel'> {
  /** The weight of the words in the score; the embeddings have the rest. */
  textScore: number
  /** The weight of the words in the graph of neighbours. */
  textGraph: number
}

/** The settings of the labels view. */
export type PageLabelSettings = Pick<
  LabelSettings,
  'maxLabelled' | 'boost' | 'normalise' | 'normaliseOver' | 'aggregate'
>

/** docs/method.md section 4: the weights of the words where there are texts. */
const words = { textScore: 0.2, textGraph: 0.3 }

/** The presets as the page holds them. A raw mix has one view, so the words count nothing there. */
export const pagePresets = Object.fromEntries(
  Object.entries(presets).map(([name, preset]) => [
    name,
    { ...preset, ...(preset.mix === 'raw' ? { textScore: 0, textGraph: 0 } : words) },
  ]),
) as unknown as Readonly<Record<PresetName, PageSettings>>

/** The settings of a fresh page. */
export const defaultSettings = pagePresets.balanced

/** The first settings of the labels view. */
export const defaultLabels: PageLabelSettings = (({
  maxLabelled,
  boost,
  normalise,
  normaliseOver,
  aggregate,
}) => ({ maxLabelled, boost, normalise, normaliseOver, aggregate }))(labelPresets.balanced)

/** The preset that settings are equal to, undefined where there is none. */
export function presetOf(settings: PageSettings): PresetName | undefined {
  return (Object.keys(pagePresets) as PresetName[]).find((name) =>
    Object.entries(pagePresets[name]).every(
      ([key, value]) => settings[key as keyof PageSettings] === value,
    ),
  )
}

/** The words take part only where there are texts, and never in a raw mix. */
export function usesWords({ mix, textScore, textGraph }: PageSettings, texts: boolean): boolean {
  return texts && mix === 'standard' && (textScore > 0 || textGraph > 0)
}

/** The settings as `@kith/core` takes them. */
export function methodSettings(settings: PageSettings, texts: boolean): PartialSettings {
  const { textScore, textGraph, ...rest } = settings
  if (!usesWords(settings, texts)) return { ...rest, views: { vectors: { score: 1, graph: 1 } } }
  return {
    ...rest,
    views: {
      vectors: { score: 1 - textScore, graph: 1 - textGraph },
      texts: { score: textScore, graph: textGraph },
    },
  }
}
