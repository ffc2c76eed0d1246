/**
 * Runs a graph in double precision, one plain loop per operation: what finite
 * differences need, and what the float32 results of onnxruntime are held against.
 */
import type { Graph, GraphNode, Value } from '@kith/encoder/internal'

export interface Numbers {
  shape: number[]
  data: number[]
}

type Inputs = [Numbers, Numbers, Numbers]
type Operation = (inputs: Inputs, node: GraphNode) => Numbers | Numbers[]

const scalar = (x: Numbers) => x.data[0]!
const size = (shape: readonly number[]) => shape.reduce((product, dim) => product * dim, 1)
const vector = (data: number[]): Numbers => ({ shape: [data.length], data })

/** The values of a graph, by name, from those of its inputs and parameters, up to one of them. */
export function interpret(
  graph: Graph,
  given: Record<string, Numbers>,
  until?: Value,
): Record<string, Numbers> {
  const values: Record<string, Numbers> = { ...given }
  for (const { value, data } of graph.constants) {
    values[value.name] = { shape: value.shape as number[], data: Array.from(data, Number) }
  }
  for (const node of graph.nodes) {
    const operation = operations[node.type]
    if (!operation) throw new Error(`the interpreter does not know ${node.type}`)
    const inputs = node.inputs.map(({ name }) => values[name]!) as Inputs
    const results = [operation(inputs, node)].flat()
    node.outputs.forEach((output, i) => {
      values[output.name] = checked(results[i]!, output)
    })
    if (until && node.outputs.includes(until)) break
  }
  return values
}

/** The shape that the builder said must be the one that comes out. */
function checked(result: Numbers, { name, shape }: Value): Numbers {
  const fits = shape.every((dim, i) => typeof dim === 'string' || dim === result.shape[i])
  if (!fits || shape.length !== result.shape.length || size(result.shape) !== result.data.length) {
    throw new Error(`${name} should be ${shape}, is ${result.shape} (${result.data.length})`)
  }
  return result
}

const each =
  (f: (x: number) => number): Operation =>
  ([x]) => ({ shape: x.shape, data: x.data.map(f) })

const pairs =
  (f: (a: number, b: number) => number): Operation =>
  ([a, b]) => {
    const rank = Math.max(a.shape.length, b.shape.length)
    const padded = [a, b].map(({ shape }) => [...Array(rank - shape.length).fill(1), ...shape])
    const shape = padded[0]!.map((dim, i) => Math.max(dim, padded[1]![i]!))
    const [left, right] = [spread(a, shape), spread(b, shape)]
    return { shape, data: left.map((value, i) => f(value, right[i]!)) }
  }

/** The numbers of x repeated to a shape. */
function spread(x: Numbers, shape: number[]): number[] {
  if (x.shape.join() === shape.join()) return x.data
  const own = [...Array(shape.length - x.shape.length).fill(1), ...x.shape]
  return places(shape).map((place) => x.data[offset(own, place)]!)
}

/** All index tuples of a shape, in order. */
function places(shape: number[]): number[][] {
  return shape.reduce<number[][]>(
    (all, dim) => all.flatMap((place) => Array.from({ length: dim }, (_, i) => [...place, i])),
    [[]],
  )
}

function offset(shape: number[], place: number[]): number {
  return shape.reduce((at, dim, i) => at * dim + (dim === 1 ? 0 : place[i]!), 0)
}

/** Along the last axis. */
const rows =
  (f: (row: number[]) => number[]): Operation =>
  ([x]) => {
    const width = x.shape.at(-1)!
    const data: number[] = []
    for (let at = 0; at < x.data.length; at += width) data.push(...f(x.data.slice(at, at + width)))
    return { shape: [...x.shape.slice(0, -1), data.length / (x.data.length / width)], data }
  }

const total = (values: number[]) => values.reduce((sum, value) => sum + value, 0)
const logSum = (row: number[]) => {
  const most = Math.max(...row)
  return most + Math.log(total(row.map((value) => Math.exp(value - most))))
}

/** By its series, of positive terms only. */
export function erf(x: number): number {
  let [term, sum] = [x, x]
  for (let n = 1; Math.abs(term) > 1e-18 * Math.abs(sum); n++) {
    term *= (2 * x * x) / (2 * n + 1)
    sum += term
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum
}

function product(a: Numbers, b: Numbers): Numbers {
  const [n, inner] = a.shape.slice(-2) as [number, number]
  const m = b.shape.at(-1)!
  const outer = a.shape.slice(0, -2)
  const data: number[] = []
  for (let o = 0; o < size(outer); o++) {
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < m; j++) {
        let sum = 0
        for (let k = 0; k < inner; k++) {
          sum += a.data[(o * n + i) * inner + k]! * b.data[(o * inner + k) * m + j]!
        }
        data.push(sum)
      }
    }
  }
  return { shape: [...outer, n, m], data }
}

function turn(x: Numbers, order: readonly number[]): Numbers {
  const shape = order.map((axis) => x.shape[axis]!)
  const data = places(shape).map((place) => {
    const from = x.shape.map((_, axis) => place[order.indexOf(axis)]!)
    return x.data[offset(x.shape, from)]!
  })
  return { shape, data }
}

const operations: Record<string, Operation> = {
  Identity: ([x]) => x,
  Cast: ([x]) => x,
  Add: pairs((a, b) => a + b),
  Sub: pairs((a, b) => a - b),
  Mul: pairs((a, b) => a * b),
  Div: pairs((a, b) => a / b),
  Sqrt: each(Math.sqrt),
  Exp: each(Math.exp),
  Erf: each(erf),
  Tanh: each(Math.tanh),
  Abs: each(Math.abs),
  Sign: each(Math.sign),
  Sin: each(Math.sin),
  Cos: each(Math.cos),
  Relu: each((x) => Math.max(0, x)),
  Sigmoid: each((x) => 1 / (1 + Math.exp(-x))),
  Softplus: each((x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)))),
  Gelu: (inputs, node) => {
    const cubic = (x: number) => Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))
    const inner =
      node.attributes['approximate'] === 'tanh' ? cubic : (x: number) => erf(x / Math.SQRT2)
    return each((x) => (x / 2) * (1 + inner(x)))(inputs, node)
  },
  Softmax: rows((row) => row.map((value) => Math.exp(value - logSum(row)))),
  LogSoftmax: rows((row) => row.map((value) => value - logSum(row))),
  ReduceLogSumExp: rows((row) => [logSum(row)]),
  LayerNormalization: (inputs, { attributes }) => {
    const [x, gamma, beta] = inputs
    const epsilon = (attributes['epsilon'] as { float: number }).float
    const mean = (row: number[]) => total(row) / row.length
    const inverse = (row: number[]) =>
      1 / Math.sqrt(mean(row.map((value) => (value - mean(row)) ** 2)) + epsilon)
    const normal = rows((row) =>
      row.map((v, i) => (v - mean(row)) * inverse(row) * gamma.data[i]! + (beta?.data[i] ?? 0)),
    )
    const node = {} as GraphNode
    return [normal, rows((row) => [mean(row)]), rows((row) => [inverse(row)])].map(
      (f) => f([x, x, x], node) as Numbers,
    )
  },
  ReduceSum: ([x, axes]) => {
    const shape = x.shape.map((dim, i) => (axes.data.includes(i) ? 1 : dim))
    const data = new Array(size(shape)).fill(0)
    places(x.shape).forEach((place, i) => {
      data[offset(shape, place)] += x.data[i]!
    })
    return { shape, data }
  },
  Gemm: ([a, b, c], { attributes: { transA, transB } }) => {
    const left = transA ? turn(a, [1, 0]) : a
    const right = transB ? turn(b, [1, 0]) : b
    const result = product(left, right)
    return c ? operations['Add']!([result, c, c], {} as GraphNode) : result
  },
  MatMul: ([a, b]) => product(a, b),
  Transpose: ([x], { attributes }) => turn(x, attributes['perm'] as number[]),
  Reshape: ([x, sizes]) => {
    const known = -size(sizes.data)
    const shape = sizes.data.map((dim) => (dim === -1 ? x.data.length / known : dim))
    return { shape, data: x.data }
  },
  Expand: ([x, sizes]) => ({ shape: sizes.data, data: spread(x, sizes.data) }),
  Shape: ([x], { attributes }) =>
    vector(x.shape.slice(attributes['start'] as number, attributes['end'] as number)),
  Squeeze: ([x]) => ({ shape: [], data: x.data }),
  Range: ([from, to]) =>
    vector(Array.from({ length: scalar(to) - scalar(from) }, (_, i) => scalar(from) + i)),
  Concat: (inputs, { attributes }) => {
    if (attributes['axis'] === 0) return vector(inputs.flatMap(({ data }) => data))
    const widths = inputs.map(({ shape }) => shape.at(-1)!)
    const rows = inputs[0].data.length / widths[0]!
    const data = Array.from({ length: rows }, (_, row) =>
      inputs.flatMap((input, i) => input.data.slice(row * widths[i]!, (row + 1) * widths[i]!)),
    ).flat()
    return { shape: inputs[0].shape.with(-1, total(widths)), data }
  },
  Gather: ([table, indices], { attributes }) => {
    const axis = attributes['axis'] as number
    const before = table.shape.slice(0, axis)
    const after = table.shape.slice(axis + 1)
    const width = size(after)
    const data = places(before).flatMap((place) =>
      indices.data.flatMap((index) => {
        const at = (offset(before, place) * table.shape[axis]! + index) * width
        return table.data.slice(at, at + width)
      }),
    )
    return { shape: [...before, ...indices.shape, ...after], data }
  },
  OneHot: ([indices, depth]) => ({
    shape: [...indices.shape, scalar(depth)],
    data: indices.data.flatMap((index) =>
      Array.from({ length: scalar(depth) }, (_, i) => (i === index ? 1 : 0)),
    ),
  }),
}
