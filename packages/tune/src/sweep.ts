import type { MethodSettings } from '@kith/core'
import { methodTable } from '@kith/core/internal'
import type { Evaluator } from './evaluate/evaluator.ts'
import { meanOf, pairedTest } from './verdict.ts'

/** The value of a measure for one value of a setting, with all other settings unchanged. */
export interface SweepPoint {
  value: number | string
  mean: number
  /** Half of the 95 % confidence interval of the gain over the run. */
  margin: number
}

/** The values of a setting, and the value in use. */
export interface SweptSetting {
  setting: string
  chosen: number | string
  points: SweepPoint[]
}

/**
 * Measures several context sizes, then several values of each setting around the chosen point; the
 * first setting is `contextSize`.
 *
 * ```ts
 * for (const { setting, points } of await sweep(evaluator, resolveMethodSettings())) console.log(setting, points.length)
 * ```
 */
export async function sweep(
  evaluator: Evaluator,
  base: MethodSettings,
  onProgress?: (done: number, total: number) => void,
): Promise<SweptSetting[]> {
  const lines = linesThrough(base, evaluator)
  const total = lines.reduce((sum, { values }) => sum + values.length, 0)
  const found: SweptSetting[] = []
  let done = 0
  for (const { setting, values, chosen, settings } of lines) {
    const points: SweepPoint[] = []
    for (const value of values) {
      const [measured] = await evaluator.evaluate([settings(value)])
      const { ci } = pairedTest(evaluator.baseline, measured!)
      points.push({ value, mean: meanOf(measured!), margin: (ci[1] - ci[0]) / 2 })
      onProgress?.(++done, total)
    }
    found.push({ setting, chosen, points })
  }
  return found
}

/** A setting, its values to evaluate, and the settings with each value. */
interface Line {
  setting: string
  values: readonly (number | string)[]
  chosen: number | string
  settings(value: number | string): MethodSettings
}

function linesThrough(base: MethodSettings, { largest, texts, tokenizers }: Evaluator): Line[] {
  const plain = (
    setting: keyof MethodSettings,
    fits: (value: number | string) => boolean = () => true,
  ): Line => ({
    setting,
    values: withChosen(
      (methodTable[setting].axis as readonly (number | string)[]).filter(fits),
      base[setting] as number | string,
    ),
    chosen: base[setting] as number | string,
    settings: (value) => ({ ...base, [setting]: value }),
  })
  const most = Math.min(base.contextSize, largest)
  const usesWords = texts && base.mix === 'words'
  const words = base.views?.['texts'] ?? { graph: 0.3, score: usesWords ? 0 : 0.2 }
  const weights = (kind: 'graph' | 'score'): Line => ({
    setting: `words in the ${kind}`,
    values: withChosen(tenths(0, 0.8), words[kind]),
    chosen: words[kind],
    settings(value) {
      const graph = kind === 'graph' ? Number(value) : words.graph
      const score = kind === 'score' ? Number(value) : words.score
      const vectors = { graph: 1 - graph, score: 1 - score }
      return { ...base, views: { vectors, texts: { graph, score } } }
    },
  })
  const upTo = (most: number) => (value: number | string) => Number(value) <= most
  return [
    plain('contextSize', upTo(largest)),
    ...(base.method === 'neighbors'
      ? [
          plain('k', upTo(most)),
          plain('kExp', upTo(most)),
          ...(usesWords
            ? [
                plain('bm25Weight'),
                plain('neighborWeight'),
                plain('supportWeight'),
                plain('supportDocs'),
                plain('windowWeight'),
                plain('windowTerms'),
                plain('titleWeight'),
                plain('tokenizer', (name) => tokenizers.includes(String(name))),
              ]
            : [plain('lambda')]),
          plain('trust'),
          plain('weight'),
          plain('rowScaling'),
          ...(base.weight === 'exp' ? [plain('weightParameter')] : []),
          ...(usesWords
            ? [weights('graph')]
            : texts
              ? [weights('score'), weights('graph')]
              : [plain('mix')]),
        ]
      : []),
  ]
}

/** Adds the chosen value to the values, in its place if they are numbers. */
function withChosen(
  values: readonly (number | string)[],
  chosen: number | string,
): (number | string)[] {
  if (values.includes(chosen)) return [...values]
  const all = [...values, chosen]
  return typeof chosen === 'number' ? all.sort((a, b) => Number(a) - Number(b)) : all
}

function tenths(from: number, to: number): number[] {
  const count = Math.round((to - from) * 10) + 1
  return Array.from({ length: count }, (_, i) => (Math.round(from * 10) + i) / 10)
}
