import { KithError } from '@kith/core'
import { type GraphNode, operations as op, type Value } from '@kith/encoder/internal'

/**
 * Appends the nodes that compute the gradients of a loss to a graph, by reverse-mode
 * differentiation. It visits only nodes that depend on a wanted value, so layers below the lowest
 * trained layer cost nothing.
 *
 * @param loss A value of one number.
 * @param wanted Inputs or parameters of the graph.
 * @returns The gradient of each wanted value, in its shape.
 */
export function backward(loss: Value, wanted: readonly Value[]): Value[] {
  const { graph } = loss
  const nodes = [...graph.nodes]
  const influenced = influencedBy(wanted, nodes)
  if (!influenced.has(loss)) {
    throw new KithError('BAD_INPUT', 'the loss depends on none of the trained parameters')
  }
  const gradients = new Map<Value, Value>()
  const one = graph.constant(Float32Array.of(1), loss.shape as number[])
  gradients.set(loss, one)
  for (const { type, inputs, outputs, gradients: rules } of nodes.reverse()) {
    const gradient = gradients.get(outputs[0]!)
    if (!gradient) continue
    inputs.forEach((input, i) => {
      if (!influenced.has(input)) return
      const rule = rules[i]
      if (!rule) throw new KithError('BAD_INPUT', `${type} has no gradient rule for input ${i}`)
      const share = rule(gradient)
      const others = gradients.get(input)
      gradients.set(input, others ? op.add(others, share) : share)
    })
  }
  return wanted.map((value) => {
    const gradient = gradients.get(value)
    if (gradient) return gradient
    throw new KithError('BAD_INPUT', `the loss does not depend on ${value.name}`)
  })
}

/** Returns the wanted values and all values computed from them, except sizes and other integers. */
function influencedBy(wanted: readonly Value[], nodes: readonly GraphNode[]): Set<Value> {
  const influenced = new Set(wanted)
  for (const { inputs, outputs } of nodes) {
    if (!inputs.some((input) => influenced.has(input))) continue
    for (const output of outputs) if (output.dtype === 'float32') influenced.add(output)
  }
  return influenced
}
