import type { MethodSettings } from '@kith/core'
import type { Evaluator } from './evaluate/evaluator.ts'
import { meanOf, pairedTest } from './verdict/paired-test.ts'

/** The value of a measure with one value of a setting, all other settings unchanged. */
export interface SweepPoint {
  value: number | string
  mean: number
  /** Half of the 95 % interval of the gain over the ranking as it is. */
  margin: number
}

/** A setting's values, and the one in use. */
export interface SweptSetting {
  setting: string
  chosen: number | string
  points: SweepPoint[]
}

/** Context sizes, about as many for each power of ten. */
const SIZES = [5, 7, 10, 15, 20, 30, 40, 50, 70, 100, 150, 200, 300, 500, 700, 1000]

/** Measures context sizes, then each setting around the chosen point; the first one is `contextSize`. */
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

/** A setting, the values it takes in turn, and the settings with each. */
interface Line {
  setting: string
  values: readonly (number | string)[]
  chosen: number | string
  settings(value: number | string): MethodSettings
}

function linesThrough(base: MethodSettings, { largest, texts, tokenizers }: Evaluator): Line[] {
  const plain = (setting: keyof MethodSettings, values: readonly (number | string)[]): Line => ({
    setting,
    values: withChosen(values, base[setting] as number | string),
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
  return [
    plain(
      'contextSize',
      SIZES.filter((size) => size <= largest),
    ),
    ...(base.method === 'neighbors'
      ? [
          plain(
            'k',
            [2, 3, 5, 7, 10, 14, 20, 30, 50].filter((k) => k <= most),
          ),
          plain(
            'kExp',
            [1, 2, 3, 4, 5, 6, 8, 10, 12].filter((k) => k <= most),
          ),
          ...(usesWords
            ? [
                plain('bm25Weight', tenths(0, 1)),
                plain('neighborWeight', tenths(0, 0.6)),
                plain('supportWeight', tenths(0, 0.6)),
                plain('supportDocs', [1, 2, 3, 5, 7, 10, 15]),
                plain('tokenizer', tokenizers),
              ]
            : [plain('lambda', tenths(0, 1))]),
          plain('trust', [0, 0.125, 0.25, 0.5, 0.75, 1]),
          plain('weight', ['linear', 'exp', 'binary']),
          plain('rowScaling', ['none', 'max', 'mean']),
          ...(base.weight === 'exp' ? [plain('weightParameter', [0.1, 0.3, 1, 3, 10])] : []),
          ...(usesWords
            ? [weights('graph')]
            : texts
              ? [weights('score'), weights('graph')]
              : [plain('mix', ['standard', 'raw'])]),
        ]
      : []),
  ]
}

/** The values, with the chosen one in its place among numbers. */
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
