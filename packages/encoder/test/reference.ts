/**
 * BERT in plain TypeScript, by the paper and not by our graph: one text, double
 * precision, one loop per sum. It is what the generated graphs are held against.
 */
import type { Tensor } from './support.ts'

/** The names of a layer's parameters, in the order of the steps. */
export interface Names {
  embeddings: { words: string; places: string; types?: string; norm: string }
  layer(i: number): {
    query: string
    key: string
    value: string
    out: string
    norm1: string
    up: string
    down: string
    norm2: string
  }
  gamma: string
  beta: string
}

export interface Measures {
  layers: number
  heads: number
  hidden: number
  epsilon: number
  /** The row of the table of places that a text's first token takes; RoBERTa's is not the first. */
  firstPlace?: number
}

type Rows = number[][]

/** The last hidden state of one text; without kinds, all tokens are of the first. */
export function forward(
  tensors: Record<string, Tensor>,
  names: Names,
  { layers, heads, hidden, epsilon, firstPlace = 0 }: Measures,
  ids: number[],
  kinds: number[] = [],
): Rows {
  const tensor = (name: string): Tensor => tensorOf(tensors, name)
  const row = (name: string, at: number): number[] =>
    Array.from(tensor(name).data.subarray(at * hidden, (at + 1) * hidden))
  const dense = (x: Rows, name: string): Rows => linear(tensors, x, name)
  const norm = (x: Rows, name: string): Rows => {
    const gamma = tensor(`${name}.${names.gamma}`).data
    const beta = tensor(`${name}.${names.beta}`).data
    return x.map((from) => {
      const mean = total(from) / from.length
      const variance = total(from.map((v) => (v - mean) ** 2)) / from.length
      return from.map((v, i) => ((v - mean) / Math.sqrt(variance + epsilon)) * gamma[i]! + beta[i]!)
    })
  }
  const { words, places, types, norm: first } = names.embeddings
  let x: Rows = ids.map((id, i) => plus(row(words, id), row(places, firstPlace + i)))
  if (types) x = x.map((from, i) => plus(from, row(types, kinds[i] ?? 0)))
  x = norm(x, first)
  const size = hidden / heads
  for (let layer = 0; layer < layers; layer++) {
    const { query, key, value, out, norm1, up, down, norm2 } = names.layer(layer)
    const [q, k, v] = [dense(x, query), dense(x, key), dense(x, value)]
    const seen: Rows = x.map(() => new Array(hidden).fill(0))
    for (let head = 0; head < heads; head++) {
      const from = head * size
      x.forEach((_, i) => {
        const scores = x.map((_, j) => {
          let sum = 0
          for (let d = from; d < from + size; d++) sum += q[i]![d]! * k[j]![d]!
          return Math.exp(sum / Math.sqrt(size))
        })
        const all = total(scores)
        for (let d = from; d < from + size; d++) {
          seen[i]![d] = total(scores.map((score, j) => (score / all) * v[j]![d]!))
        }
      })
    }
    const attended = dense(seen, out)
    x = norm(
      x.map((from, i) => plus(from, attended[i]!)),
      norm1,
    )
    const fed = dense(
      dense(x, up).map((from) => from.map(gelu)),
      down,
    )
    x = norm(
      x.map((from, i) => plus(from, fed[i]!)),
      norm2,
    )
  }
  return x
}

/** A linear layer. */
export function linear(tensors: Record<string, Tensor>, x: Rows, name: string): Rows {
  const { shape, data } = tensorOf(tensors, `${name}.weight`)
  const bias = tensorOf(tensors, `${name}.bias`).data
  const [out, width] = shape as [number, number]
  return x.map((from) =>
    Array.from({ length: out }, (_, o) => {
      let sum = bias[o]!
      for (let i = 0; i < width; i++) sum += data[o * width + i]! * from[i]!
      return sum
    }),
  )
}

function tensorOf(tensors: Record<string, Tensor>, name: string): Tensor {
  const found = tensors[name]
  if (!found) throw new Error(`no tensor ${name}`)
  return found
}

const gelu = (x: number): number => (x / 2) * (1 + erf(x / Math.SQRT2))

/** A series of positive terms only, so that nothing cancels. */
function erf(x: number): number {
  let term = x
  let sum = x
  for (let n = 1; Math.abs(term) > 1e-18 * Math.abs(sum); n++) {
    term *= (2 * x * x) / (2 * n + 1)
    sum += term
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum
}

const total = (values: number[]): number => values.reduce((sum, value) => sum + value, 0)
const plus = (a: number[], b: number[]): number[] => a.map((value, i) => value + b[i]!)
