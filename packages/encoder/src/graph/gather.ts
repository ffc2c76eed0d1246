import { KithError } from '@kith/core'
import { multiply } from './elementwise.ts'
import type { Dim, Value } from './graph.ts'
import { matmul } from './linear.ts'
import { reshape, transpose } from './shape.ts'

/** The slices of `table` along an axis that `indices` name; a single index drops the axis. */
export function gather(table: Value, indices: Value, axis = 0): Value {
  const shape = [...table.shape.slice(0, axis), ...indices.shape, ...table.shape.slice(axis + 1)]
  return table.graph.node('Gather', [table, indices], [shape], {
    attributes: { axis },
    gradients: [
      (g) =>
        indices.shape.length === 0
          ? placed(g, table, indices, axis)
          : scattered(g, table, indices, axis),
    ],
  })[0]!
}

/** A single slice's gradient where it came from, 0 elsewhere. */
function placed(gradient: Value, table: Value, index: Value, axis: number): Value {
  const here = table.shape.map((dim, i) => (i === axis ? dim : 1))
  const slice = table.shape.map((dim, i) => (i === axis ? 1 : dim))
  return multiply(
    reshape(gradient, slice),
    reshape(oneHot(reshape(index, [1]), table.shape[axis]!), here),
  )
}

/**
 * The gradients of rows, added up where the same row was taken several times, as a
 * product. For tables of thousands of rows that is wasteful: a trainer that knows the
 * indices feeds the rows themselves, and adds up their gradients itself.
 */
function scattered(gradient: Value, table: Value, indices: Value, axis: number): Value {
  const [rows, width] = table.shape
  if (axis !== 0 || table.shape.length !== 2 || indices.shape.length !== 1) {
    const what = `gather of ${indices.shape} from axis ${axis} of ${table.shape}`
    throw new KithError('BAD_SHAPE', `${what} has no gradient rule`)
  }
  const taken = oneHot(indices, rows!)
  return matmul(transpose(taken, [1, 0]), reshape(gradient, [indices.shape[0]!, width!]))
}

/** A row per index that is 1 at that place and 0 elsewhere. */
function oneHot(indices: Value, size: Dim): Value {
  const { graph } = indices
  const depth =
    typeof size === 'string' ? graph.dim(size) : graph.constant(BigInt64Array.of(BigInt(size)), [1])
  const values = graph.constant(Float32Array.of(0, 1), [2])
  return graph.node('OneHot', [indices, depth, values], [[...indices.shape, size]])[0]!
}
