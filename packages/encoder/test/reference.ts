/**
 * BERT and its relatives in plain TypeScript, by the papers and not by our graph: one text, double
 * precision, one loop per sum. It is what the generated graphs are held against.
 */
import type { Tensor } from './support.ts'

/** The names of a layer's parameters, in the order of the steps. */
export interface Names {
  embeddings: { words: string; places?: string; types?: string; norm: string }
  layer(i: number): {
    query: string
    key: string
    value: string
    out: string
    norm1: string | undefined
    /** Whose activated numbers multiply those of `up`. */
    gate?: string
    up: string
    down: string
    norm2: string
  }
  gamma: string
  beta: string
  /** The normalization after the last layer, where layers normalize what they take. */
  last?: string
}

export interface Measures {
  layers: number
  heads: number
  hidden: number
  epsilon: number
  /** The row of the table of places that a text's first token takes; RoBERTa's is not the first. */
  firstPlace?: number
  /** The base of the angles by which a layer turns queries and keys. */
  theta?: (layer: number) => number
  /** How far a layer's tokens see; without it, everywhere. */
  reach?: (layer: number) => number
  /** Added to a head's score of a token so far behind another. */
  distance?: (head: number, behind: number) => number
  activation?: (x: number) => number
}

type Rows = number[][]

/** The last hidden state of one text; without kinds, all tokens are of the first. */
export function forward(
  tensors: Record<string, Tensor>,
  names: Names,
  measures: Measures,
  ids: number[],
  kinds: number[] = [],
): Rows {
  const { layers, heads, hidden, epsilon, firstPlace = 0, theta, distance } = measures
  const { reach = () => Infinity, activation = gelu } = measures
  const tensor = (name: string): Tensor => tensorOf(tensors, name)
  const row = (name: string, at: number): number[] =>
    Array.from(tensor(name).data.subarray(at * hidden, (at + 1) * hidden))
  const dense = (x: Rows, name: string): Rows => linear(tensors, x, name)
  const norm = (x: Rows, name: string): Rows => {
    const gamma = tensor(`${name}.${names.gamma}`).data
    const beta = tensors[`${name}.${names.beta}`]?.data
    return x.map((from) => {
      const mean = total(from) / from.length
      const deviation = Math.sqrt(total(from.map((v) => (v - mean) ** 2)) / from.length + epsilon)
      return from.map((v, i) => ((v - mean) / deviation) * gamma[i]! + (beta?.[i] ?? 0))
    })
  }
  const { words, places, types, norm: first } = names.embeddings
  let x: Rows = ids.map((id) => row(words, id))
  if (places) x = x.map((from, i) => plus(from, row(places, firstPlace + i)))
  if (types) x = x.map((from, i) => plus(from, row(types, kinds[i] ?? 0)))
  x = norm(x, first)
  const size = hidden / heads
  for (let layer = 0; layer < layers; layer++) {
    const { query, key, value, out, norm1, up, gate, down, norm2 } = names.layer(layer)
    const attend = (x: Rows): Rows => {
      const turn = (x: Rows) => (theta ? turned(x, size, theta(layer)) : x)
      const [q, k, v] = [turn(dense(x, query)), turn(dense(x, key)), dense(x, value)]
      const seen: Rows = x.map(() => new Array(hidden).fill(0))
      for (let head = 0; head < heads; head++) {
        const from = head * size
        x.forEach((_, i) => {
          const scores = x.map((_, j) => {
            if (Math.abs(i - j) > reach(layer)) return 0
            let sum = 0
            for (let d = from; d < from + size; d++) sum += q[i]![d]! * k[j]![d]!
            return Math.exp(sum / Math.sqrt(size) + (distance?.(head, j - i) ?? 0))
          })
          const all = total(scores)
          for (let d = from; d < from + size; d++) {
            seen[i]![d] = total(scores.map((score, j) => (score / all) * v[j]![d]!))
          }
        })
      }
      return dense(seen, out)
    }
    const feed = (x: Rows): Rows => {
      const inner = dense(x, up)
      const activated = (gate ? dense(x, gate) : inner).map((from) => from.map(activation))
      if (!gate) return dense(activated, down)
      return dense(
        inner.map((from, i) => from.map((value, d) => value * activated[i]![d]!)),
        down,
      )
    }
    const both = (a: Rows, b: Rows): Rows => a.map((from, i) => plus(from, b[i]!))
    if (names.last) {
      x = both(x, attend(norm1 ? norm(x, norm1) : x))
      x = both(x, feed(norm(x, norm2)))
    } else {
      x = norm(both(x, attend(x)), norm1!)
      x = norm(both(x, feed(x)), norm2)
    }
  }
  return names.last ? norm(x, names.last) : x
}

/** Numbers in pairs, one of each half of a head, turned by an angle that grows with the position. */
function turned(x: Rows, size: number, theta: number): Rows {
  return x.map((from, i) =>
    from.map((value, d) => {
      const within = d % size
      const lower = within < size / 2
      const angle = i / theta ** ((2 * (within % (size / 2))) / size)
      const other = from[lower ? d + size / 2 : d - size / 2]!
      return value * Math.cos(angle) + (lower ? -other : other) * Math.sin(angle)
    }),
  )
}

/** A linear layer. */
export function linear(tensors: Record<string, Tensor>, x: Rows, name: string): Rows {
  const { shape, data } = tensorOf(tensors, `${name}.weight`)
  const bias = tensors[`${name}.bias`]?.data
  const [out, width] = shape as [number, number]
  return x.map((from) =>
    Array.from({ length: out }, (_, o) => {
      let sum = bias?.[o] ?? 0
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

/** x times the logistic function. */
export const silu = (x: number): number => x / (1 + Math.exp(-x))

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
