import {
  type LabelSettings,
  labelPresets,
  type PartialSettings,
  type PresetName,
  presets,
  type Settings,
  type TermStatistics,
  type TokenizerName,
} from '@kith/core'

/** The settings of the method as the page holds them: flat, with the weights of the words as numbers. */
export interface PageSettings
  extends Omit<Settings, 'views' | 'kernel' | 'tokenizer' | 'statistics' | 'preselect'> {
  tokenizer: TokenizerName
  /** The texts that term statistics are counted in: the whole corpus, or only the candidates. */
  statistics: 'corpus' | 'candidates'
  /** M; undefined is the method's own choice, which depends on `statistics`. */
  preselect: number | undefined
  /** The weight of the words in the geometric term; the embeddings have the rest. */
  textScore: number
  /** The weight of the words in the graph of neighbors. */
  textGraph: number
}

/** The settings of the labels view. */
export type PageLabelSettings = Pick<
  LabelSettings,
  'labelDepth' | 'boost' | 'normalize' | 'normalizeOver' | 'aggregate'
>

/** The purpose of the settings, which decides which of them count. */
export interface Use {
  /** Whether the dataset has texts. */
  texts: boolean
  /** Labels have neither BM25 score nor support. */
  labels?: boolean
}

/** docs/method.md section 4: the weights of the words if there are texts. */
const words = { textScore: 0.2, textGraph: 0.3 }

/**
 * docs/method.md section 4: from how many candidates a context is chosen by the dataset's
 * statistics.
 */
const PRESELECT = 200

/** The presets as the page holds them. A raw mix has one view, so the words count nothing there. */
export const pagePresets = Object.fromEntries(
  Object.entries(presets).map(([name, preset]) => [
    name,
    {
      ...preset,
      tokenizer: preset.tokenizer ?? 'english',
      ...(preset.mix === 'raw' ? { textScore: 0, textGraph: 0 } : words),
      statistics: 'corpus',
      preselect: undefined,
    },
  ]),
) as unknown as Readonly<Record<PresetName, PageSettings>>

/** The settings of a fresh page. */
export const defaultSettings = pagePresets.balanced

/** The first settings of the labels view. */
export const defaultLabels: PageLabelSettings = (({
  labelDepth,
  boost,
  normalize,
  normalizeOver,
  aggregate,
}) => ({ labelDepth, boost, normalize, normalizeOver, aggregate }))(labelPresets.balanced)

/** The preset that settings are equal to, undefined if there is none. */
export function presetOf(settings: PageSettings): PresetName | undefined {
  return (Object.keys(pagePresets) as PresetName[]).find((name) =>
    Object.entries(pagePresets[name]).every(
      ([key, value]) => settings[key as keyof PageSettings] === value,
    ),
  )
}

/** Changes some settings; the shares of neighbors and support give way to each other. */
export function changed(settings: PageSettings, part: Partial<PageSettings>): PageSettings {
  const next = { ...settings, ...part }
  if (part.neighborWeight !== undefined) {
    next.supportWeight = Math.min(next.supportWeight, rest(part.neighborWeight))
  } else if (part.supportWeight !== undefined) {
    next.neighborWeight = Math.min(next.neighborWeight, rest(part.supportWeight))
  }
  return next
}

/** How the terms of a score are mixed: without texts, and in labels, `words` is `standard`. */
export function mixOf({ mix }: PageSettings, { texts, labels }: Use): Settings['mix'] {
  return mix === 'words' && (!texts || labels) ? 'standard' : mix
}

/** How words become terms; undefined if they do not take part: without texts, and in a raw mix. */
export function tokenizerOf(settings: PageSettings, use: Use): TokenizerName | undefined {
  const { tokenizer, textScore, textGraph } = settings
  const mix = mixOf(settings, use)
  const counts = mix === 'words' || (mix === 'standard' && (textScore > 0 || textGraph > 0))
  return use.texts && counts ? tokenizer : undefined
}

/**
 * From how many of the first candidates the context is chosen; 0 takes the first candidates
 * unchanged.
 */
export function preselectOf({ preselect, statistics }: PageSettings): number {
  return preselect ?? (statistics === 'corpus' ? PRESELECT : 0)
}

/** How many of a query's first candidates a ranking looks at. */
export function lookedAt(settings: PageSettings, use: Use): number {
  const { contextSize } = settings
  return mixOf(settings, use) === 'words'
    ? Math.max(contextSize, preselectOf(settings))
    : contextSize
}

/**
 * The settings as `@kith/core` takes them. @param counted The dataset's statistics, if they
 * count.
 */
export function methodSettings(
  settings: PageSettings,
  use: Use,
  counted?: TermStatistics,
): PartialSettings {
  const { textScore, textGraph, statistics, ...others } = settings
  const mix = mixOf(settings, use)
  const own = { ...others, mix }
  if (tokenizerOf(settings, use) === undefined) {
    return { ...own, views: { vectors: { score: 1, graph: 1 } } }
  }
  // In the second generation the BM25 score replaces the texts' view in the score.
  const score = mix === 'words' ? 0 : textScore
  return {
    ...own,
    statistics: mix === 'words' && statistics === 'corpus' ? counted : undefined,
    views: {
      vectors: { score: 1 - score, graph: 1 - textGraph },
      texts: { score, graph: textGraph },
    },
  }
}

/** Removes rounding errors: 1 − 0.55 is 0.45. */
function rest(share: number): number {
  return Number((1 - share).toFixed(6))
}
