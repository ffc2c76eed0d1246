import type { Method, MethodSettings, PartialSettings } from '@kith/core'
import { methodTable, requireTexts } from '@kith/core/internal'
import {
  type Dimension,
  fill,
  fromUnit,
  type Parameters,
  type Space,
  toUnit,
  type Value,
} from '../search/space.ts'

/** The inputs that determine the search space. */
export interface SpaceInputs {
  /** The largest number of candidates of a query. */
  largest: number
  /** Whether there are texts. */
  texts: boolean
  /** The tokenizers for which there are prepared texts. */
  tokenizers?: readonly string[] | undefined
  /** The mix of the base settings; `words` with texts has its own settings. */
  mix?: MethodSettings['mix'] | undefined
  /** The methods to choose from. Default: `neighbors` only. */
  methods?: readonly Method[] | undefined
}

/** Returns the range of a setting that is searched. */
function float(name: keyof MethodSettings): Dimension & { kind: 'float' } {
  return { kind: 'float', ...methodTable[name].tune! }
}

/** Returns the range of a whole-number setting that is searched, up to `most`. */
function integer(name: keyof MethodSettings, most: number): Dimension & { kind: 'integer' } {
  const { from, to, ...scale } = methodTable[name].tune!
  return { kind: 'integer', from: Math.min(from, most), to: Math.min(to, most), ...scale }
}

/**
 * The largest context size that is tried: docs/method.md section 4 finds sizes from 20 to 60
 * equally good.
 */
const LARGEST_CONTEXT = 100

/** Returns the settings to search; with several methods, each method has its own settings. */
export function settingSpace(inputs: SpaceInputs): Space {
  const { methods = ['neighbors'], texts } = inputs
  for (const method of methods) requireTexts(method, texts)
  const [only] = methods
  if (methods.length === 1 && only === 'neighbors') return neighborSpace(inputs)
  const { contextSize, ...own } = neighborSpace(inputs)
  const of = (method: Method) => ({ when: { dimension: 'method', is: method } })
  const { textScore, bm25Weight, tokenizer, ...rest } = own
  return {
    method: { kind: 'choice', values: methods },
    contextSize: contextSize!,
    ...Object.fromEntries(
      Object.entries(methods.includes('neighbors') ? rest : {}).map(([name, dimension]) => [
        name,
        dimension.when ? dimension : { ...dimension, ...of('neighbors') },
      ]),
    ),
    // Two methods share these settings.
    ...(textScore ? { textScore } : {}),
    ...(bm25Weight ? { bm25Weight } : {}),
    ...(tokenizer ? { tokenizer } : {}),
    feedbackDocs: { ...integer('feedbackDocs', inputs.largest), ...of('rocchio') },
    feedbackWeight: { ...float('feedbackWeight'), ...of('rocchio') },
    neighborRrfK: { ...float('neighborRrfK'), ...of('neighbor-rrf') },
  }
}

/**
 * Returns the settings of Kith's own method. Context sizes come in ten steps, so that trials share
 * the computations for a size. With texts, the raw mix is not searched: views have different
 * scales.
 */
function neighborSpace(inputs: SpaceInputs): Space {
  const { largest, texts, mix } = inputs
  const most = Math.min(largest, LARGEST_CONTEXT)
  const step = Math.max(1, Math.floor(most / 10))
  const standard = texts ? {} : { when: { dimension: 'mix', is: 'standard' } }
  return {
    contextSize: { kind: 'integer', from: step, to: most, step },
    k: integer('k', most),
    kExp: integer('kExp', most),
    extended: { kind: 'choice', values: [false, true] },
    trust: { ...float('trust'), when: { dimension: 'extended', is: true } },
    weight: { kind: 'choice', values: methodTable.weight.values! },
    weightParameter: {
      ...float('weightParameter'),
      when: { dimension: 'weight', is: 'exp' },
    },
    rowScaling: { kind: 'choice', values: methodTable.rowScaling.values! },
    ...(texts && mix === 'words' ? wordsSpace(inputs) : termSpace(texts, standard)),
  }
}

/** Returns the settings of the mix `words`: the weights of its terms (docs/method.md section 4). */
function wordsSpace({ tokenizers = [], largest }: SpaceInputs): Space {
  return {
    bm25Weight: float('bm25Weight'),
    neighborWeight: float('neighborWeight'),
    supportDocs: integer('supportDocs', largest),
    supportWeight: float('supportWeight'),
    windowWeight: float('windowWeight'),
    windowTerms: integer('windowTerms', Infinity),
    titleWeight: float('titleWeight'),
    textGraph: { kind: 'float', from: 0, to: 0.9 },
    ...(tokenizers.length > 1
      ? { tokenizer: { kind: 'choice', values: tokenizers } as const }
      : {}),
  }
}

/** Returns the settings of the mix of two terms. */
function termSpace(texts: boolean, standard: Pick<Dimension, 'when'>): Space {
  return {
    ...(texts ? {} : { mix: { kind: 'choice', values: methodTable.mix.axis! } as const }),
    lambda: { ...float('lambda'), ...standard },
    ...(texts
      ? {
          textGraph: { kind: 'float', from: 0, to: 0.9 } as const,
          textScore: { kind: 'float', from: 0, to: 0.9 } as const,
        }
      : {
          rawLambda: {
            kind: 'float',
            from: 0,
            to: 1,
            when: { dimension: 'mix', is: 'raw' },
          } as const,
        }),
  }
}

/** Converts parameters to settings; settings that the parameters do not name come from `base`. */
export function settingsOf(parameters: Parameters, base: MethodSettings): MethodSettings {
  const { extended, rawLambda, textGraph, textScore, ...plain } = parameters
  const settings: Record<string, unknown> = { ...base, ...plain }
  if (extended === false) settings['trust'] = 0
  if (rawLambda !== undefined) settings['lambda'] = rawLambda
  if (typeof textScore === 'number') {
    const graph = typeof textGraph === 'number' ? textGraph : DEFAULT_WORDS.graph
    settings['views'] = {
      vectors: { graph: 1 - graph, score: 1 - textScore },
      texts: { graph, score: textScore },
    } satisfies PartialSettings['views']
  }
  if (base.mix === 'words' && typeof textGraph === 'number') {
    // The BM25 score replaces the text view in the score.
    settings['views'] = {
      vectors: { graph: 1 - textGraph, score: 1 },
      texts: { graph: textGraph, score: 0 },
    } satisfies PartialSettings['views']
  }
  return settings as unknown as MethodSettings
}

/** Returns the point of a space that is nearest to some settings: the start of the search. */
export function parametersOf(settings: MethodSettings, space: Space): Parameters {
  const words = settings.views?.['texts']
  const values: Readonly<Record<string, unknown>> = {
    ...settings,
    extended: settings.trust > 0,
    rawLambda: settings.lambda,
    textGraph: words?.graph ?? DEFAULT_WORDS.graph,
    textScore: words?.score ?? DEFAULT_WORDS.score,
  }
  return fill(space, (name, dimension): Value => {
    const value = values[name]
    if (dimension.kind === 'choice') {
      return dimension.values.find((one) => one === value) ?? dimension.values[0]!
    }
    const place = toUnit(dimension, Math.min(dimension.to, Math.max(dimension.from, Number(value))))
    return fromUnit(dimension, place)
  })
}

/** The weights of the text view if the settings name none (docs/method.md section 4). */
const DEFAULT_WORDS = { graph: 0.3, score: 0.2 }
