import { Graph, operations as op, type Value } from '@kith/encoder/internal'
import { Tensor } from '@kith/encoder/runtime'
import { expect, test } from 'vitest'
import { backward } from '../src/graph/backward.ts'
import { openGraph } from '../src/graph/session.ts'
import { type Loss, lossNamed, lossNames } from '../src/losses.ts'
import { lossesOf } from '../src/run/training-step.ts'
import { interpret, type Numbers } from './interpreter.ts'
import { slope } from './slope.ts'
import { generator } from './support.ts'

type Sizes = Record<string, number>
interface Case {
  name: string
  /** Inputs that are differentiated, by shape. */
  of: (number | string)[][]
  make(...inputs: Value[]): Value
  /** Further inputs. */
  given?: Record<string, Numbers>
}

const sizes: Sizes = { batch: 2, length: 3, candidates: 4, tokens: 6, relevant: 2 }
const index = (x: Value, ...values: bigint[]) => {
  return x.graph.constant(BigInt64Array.from(values), values.length === 1 ? [] : [values.length])
}
/** A list of four candidates, two of them relevant, and a list of three. */
const lists = { lengths: [4, 3], longest: 4, target: Float32Array.of(0.7, 0.3, 0, 0, 1, 0, 0, 0) }
const caseOf = (loss: Loss): Case => ({
  name: loss,
  of: [['batch', 'candidates']],
  make: (scores) => lossesOf(scores, { loss, margin: 0.8 }),
  given: Object.fromEntries(
    Object.entries(lossNamed(loss).inputs).map(([name, { numbers }]) => {
      const { data, dims } = numbers(lists)
      return [name, { shape: [...dims], data: [...data] }]
    }),
  ),
})

const cases: Case[] = [
  { name: 'add, repeated', of: [['batch', 3], [3]], make: op.add },
  { name: 'add a number', of: [['batch', 3]], make: (x) => op.add(x, 2) },
  {
    name: 'subtract, repeated',
    of: [
      ['batch', 'length', 2],
      ['length', 1],
    ],
    make: op.subtract,
  },
  {
    name: 'multiply, repeated',
    of: [
      ['batch', 1, 3],
      ['length', 3],
    ],
    make: op.multiply,
  },
  { name: 'multiply by itself', of: [['batch', 3]], make: (x) => op.multiply(x, x) },
  {
    name: 'divide',
    of: [
      ['batch', 3],
      ['batch', 1],
    ],
    make: (a, b) => op.divide(a, op.add(b, 2)),
  },
  { name: 'squareRoot', of: [['batch', 3]], make: (x) => op.squareRoot(op.add(x, 2)) },
  { name: 'relu', of: [['batch', 3]], make: op.relu },
  { name: 'gelu', of: [['batch', 3]], make: (x) => op.gelu(op.multiply(x, 2)) },
  { name: 'gelu by tanh', of: [['batch', 3]], make: (x) => op.gelu(op.multiply(x, 2), 'tanh') },
  { name: 'silu', of: [['batch', 3]], make: op.silu },
  { name: 'softplus', of: [['batch', 3]], make: op.softplus },
  { name: 'linear', of: [['batch', 3], [4, 3], [4]], make: op.linear },
  {
    name: 'linear without a bias',
    of: [
      ['batch', 3],
      [4, 3],
    ],
    make: (x, w) => op.linear(x, w),
  },
  {
    name: 'matmul',
    of: [
      ['batch', 2, 3],
      ['batch', 3, 4],
    ],
    make: op.matmul,
  },
  {
    name: 'matmul of matrices',
    of: [
      [2, 3],
      [3, 4],
    ],
    make: op.matmul,
  },
  {
    name: 'layerNorm',
    of: [['batch', 4], [4], [4]],
    make: (x, g, b) => op.layerNorm(x, g, b, 1e-5),
  },
  {
    name: 'layerNorm without beta',
    of: [['batch', 4], [4]],
    make: (x, g) => op.layerNorm(x, g, undefined, 1e-5),
  },
  { name: 'half', of: [['batch', 'length', 4]], make: (x) => op.half(x, 1) },
  {
    name: 'beside',
    of: [
      ['batch', 'length', 2],
      ['batch', 'length', 2],
    ],
    make: op.beside,
  },
  { name: 'softmax', of: [['batch', 4]], make: op.softmax },
  { name: 'logSoftmax', of: [['batch', 4]], make: op.logSoftmax },
  { name: 'logSumExp', of: [['batch', 4]], make: op.logSumExp },
  { name: 'unitLength', of: [['batch', 4]], make: op.unitLength },
  { name: 'sum', of: [['batch', 'length', 2]], make: (x) => op.sum(x, 1) },
  { name: 'reshape', of: [['batch', 'length', 2]], make: (x) => op.reshape(x, ['tokens', 2]) },
  { name: 'transpose', of: [['batch', 'length', 2]], make: (x) => op.transpose(x, [2, 0, 1]) },
  { name: 'gather rows, one twice', of: [[5, 3]], make: (x) => op.gather(x, index(x, 1n, 4n, 1n)) },
  { name: 'gather one row', of: [[5, 3]], make: (x) => op.gather(x, index(x, 2n)) },
  {
    name: 'gather one token',
    of: [['batch', 'length', 2]],
    make: (x) => op.gather(x, index(x, 1n), 1),
  },
  ...lossNames.map(caseOf),
]

test.each(cases)('$name', async ({ of, make, given = {} }) => {
  const graph = new Graph()
  const inputs = of.map((shape, i) => graph.input(`x${i}`, 'float32', shape))
  const result = make(...inputs)
  // Each number of the result counts differently.
  const random = generator(of.length)
  const factors = graph.input('factors', 'float32', result.shape)
  let loss = op.multiply(result, factors)
  for (let axis = 0; axis < result.shape.length; axis++) loss = op.sum(loss, axis)
  loss = op.reshape(loss, [1])
  const gradients = backward(loss, inputs)
  graph.output('loss', loss)
  inputs.forEach(({ name }, i) => {
    graph.output(`gradient ${name}`, gradients[i]!)
  })
  const values: Record<string, Numbers> = {}
  for (const { name, shape } of graph.inputs) {
    const dims = shape.map((dim) => (typeof dim === 'number' ? dim : sizes[dim]!))
    const length = dims.reduce((product, dim) => product * dim, 1)
    values[name] = given[name] ?? {
      shape: dims,
      data: Array.from({ length }, () => Math.fround(random())),
    }
  }
  const lossAt = () => interpret(graph, values, loss)[loss.name]!.data[0]!
  const exact = interpret(graph, values)
  const session = await openGraph(graph, {})
  const feeds = Object.fromEntries(
    Object.entries(values)
      .filter(([name]) => graph.inputs.some((input) => input.name === name))
      .map(([name, { shape, data }]) => [
        name,
        new Tensor('float32', Float32Array.from(data), shape),
      ]),
  )
  const rounded = await session.run(feeds)
  for (const { name } of inputs) {
    const { data, shape } = values[name]!
    const gradient = exact[`gradient ${name}`]!
    expect(gradient.shape).toEqual(shape)
    data.forEach((value, i) => {
      const difference = slope(lossAt, (x) => (data[i] = x), value)
      expect(Math.abs(gradient.data[i]! - difference)).toBeLessThan(2e-8)
      const ours = (rounded[`gradient ${name}`]!.data as Float32Array)[i]!
      expect(Math.abs(ours - difference)).toBeLessThan(1e-5)
    })
  }
})
