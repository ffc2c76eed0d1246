import type { Graph, GraphNode, Value } from './graph.ts'

/**
 * The largest whole number of a weight. Processors without VNNI add up two products at a time in 16
 * bits: 2 · 255 · 64 fits, and with larger numbers they would give other sums than those that have it.
 */
const LARGEST = 64

/**
 * Replaces the linear layers of a graph by products of 8-bit numbers: weights are rounded once, with
 * a scale for each output; what a layer takes is rounded at each run, with one scale for all of it.
 *
 * @param weights The contents of parameters by name. Those that are rounded become constants.
 */
export function quantizeLinear(graph: Graph, weights: ReadonlyMap<string, Float32Array>): void {
  const rounded = new Map<Value, readonly Value[]>()
  const taken = new Set<Value>()
  const nodes = [...graph.nodes].flatMap((node) => {
    const [x, w] = node.inputs
    if (node.type !== 'Gemm' || !graph.parameters.includes(w!)) return [node]
    taken.add(w!)
    const from = graph.nodes.length
    if (!rounded.has(x!)) rounded.set(x!, dynamicallyRounded(x!))
    product(node, rounded.get(x!)!, weights.get(w!.name)!)
    return graph.nodes.slice(from)
  })
  graph.nodes.splice(0, graph.nodes.length, ...nodes)
  const others = graph.parameters.filter((parameter) => !taken.has(parameter))
  graph.parameters.splice(0, graph.parameters.length, ...others)
}

/** Numbers from 0 to 255, their scale, and the number that stands for 0. */
function dynamicallyRounded(x: Value): Value[] {
  const dtypes = ['uint8', 'float32', 'uint8'] as const
  return x.graph.node('DynamicQuantizeLinear', [x], [x.shape, [], []], { dtype: dtypes })
}

/** Appends what gives the output of a linear layer. */
function product(
  { inputs, outputs }: GraphNode,
  [numbers, scale, zero]: readonly Value[],
  weights: Float32Array,
): void {
  const [x, w, bias] = inputs as [Value, Value, Value?]
  const { graph } = x
  const [out, width] = w.shape as [number, number]
  const { whole, scales } = roundRows(weights, out, width)
  const shape = outputs[0]!.shape
  const matrix = graph.constant(whole, [width, out])
  const [sums] = graph.node('MatMulInteger', [numbers!, matrix, zero!], [shape], { dtype: 'int32' })
  // onnxruntime makes one operation of this, if it comes in this form.
  const [float] = graph.node('Cast', [sums!], [shape], { attributes: { to: 1 } })
  const [factors] = graph.node('Mul', [scale!, graph.constant(scales, [out])], [[out]])
  const last = { outputs, attributes: {}, gradients: [] }
  if (!bias) {
    graph.nodes.push({ type: 'Mul', inputs: [float!, factors!], ...last })
    return
  }
  const [scaled] = graph.node('Mul', [float!, factors!], [shape])
  graph.nodes.push({ type: 'Add', inputs: [scaled!, bias], ...last })
}

/** The rows of a matrix in whole numbers, turned into columns, with the scale of each. */
function roundRows(
  weights: Float32Array,
  rows: number,
  width: number,
): { whole: Int8Array; scales: Float32Array } {
  const whole = new Int8Array(rows * width)
  const scales = new Float32Array(rows)
  for (let row = 0; row < rows; row++) {
    const numbers = weights.subarray(row * width, (row + 1) * width)
    const largest = numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 0)
    // A row of zeros stays one, whatever its scale.
    const scale = largest / LARGEST || 1
    scales[row] = scale
    numbers.forEach((number, i) => {
      whole[i * rows + row] = Math.round(number / scale)
    })
  }
  return { whole, scales }
}
