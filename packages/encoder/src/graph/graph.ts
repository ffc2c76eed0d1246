import { KithError } from '@kith/core'

/** The size of an axis: a number, or a name if the size is known only when the graph runs. */
export type Dim = number | string
/** The number type of a value. */
export type DType = 'float32' | 'int64' | 'int32' | 'int8' | 'uint8'
/** An attribute of an ONNX node; floats with a whole value are boxed. */
export type Attribute = number | readonly number[] | string | { readonly float: number }

/** A tensor in a graph. */
export interface Value {
  readonly graph: Graph
  readonly name: string
  readonly dtype: DType
  readonly shape: readonly Dim[]
}

/**
 * Maps the gradient of a node's first output to the gradient of one of its inputs, which has the
 * input's shape. The rule may use the node's inputs and outputs, and appends nodes.
 */
export type GradientRule = (gradient: Value) => Value

/** An operation. Differentiation visits the operations in reverse order. */
export interface GraphNode {
  /** ONNX's name of the operation, such as `Gemm`. */
  readonly type: string
  readonly inputs: readonly Value[]
  readonly outputs: readonly Value[]
  readonly attributes: Readonly<Record<string, Attribute>>
  /** A rule per input; undefined for inputs without a gradient, such as indices. */
  readonly gradients: readonly (GradientRule | undefined)[]
}

interface NodeOptions {
  attributes?: Record<string, Attribute>
  /** The type of all outputs, or a type per output. */
  dtype?: DType | readonly DType[]
  gradients?: readonly (GradientRule | undefined)[]
}

/** The contents of a constant. */
export type Numbers = Float32Array | BigInt64Array | Int8Array

/** A constant tensor and its contents. */
export interface Constant {
  readonly value: Value
  readonly data: Numbers
}

/**
 * A computation under construction: operations append nodes in an order in which they can run.
 * `toOnnx` writes it as ONNX.
 */
export class Graph {
  /** The inputs that a caller feeds at each run. */
  readonly inputs: Value[] = []
  /** Weights: fed like inputs during training, stored in the model otherwise. */
  readonly parameters: Value[] = []
  readonly constants: Constant[] = []
  readonly nodes: GraphNode[] = []
  readonly outputs: Value[] = []
  readonly #names = new Set<string>()
  readonly #dims = new Map<string, Value>()

  /** Declares an input that is fed at each run. */
  input(name: string, dtype: DType, shape: readonly Dim[]): Value {
    const value = this.#value(name, dtype, shape)
    this.inputs.push(value)
    return value
  }

  /** Declares a weight, under its name in a checkpoint. */
  parameter(name: string, shape: readonly number[]): Value {
    const value = this.#value(name, 'float32', shape)
    this.parameters.push(value)
    return value
  }

  /** Adds a constant; without a shape, a single number. */
  constant(data: Numbers, shape: readonly number[] = []): Value {
    const dtype = dtypeOf(data)
    const value = this.#value(`constant_${this.constants.length}`, dtype, shape)
    this.constants.push({ value, data })
    return value
  }

  /** Appends an operation; its outputs are float32 unless `dtype` says otherwise. */
  node(
    type: string,
    inputs: readonly Value[],
    shapes: readonly (readonly Dim[])[],
    { attributes = {}, dtype = 'float32', gradients = [] }: NodeOptions = {},
  ): Value[] {
    const at = this.nodes.length
    const outputs = shapes.map((shape, i) => {
      const own = typeof dtype === 'string' ? dtype : dtype[i]!
      return this.#value(`${type}_${at}_${i}`, own, shape)
    })
    this.nodes.push({ type, inputs, outputs, attributes, gradients })
    return outputs
  }

  /** Declares a value as an output of a run. */
  output(name: string, from: Value): void {
    const value = this.#value(name, from.dtype, from.shape)
    const node = { type: 'Identity', inputs: [from], outputs: [value] }
    this.nodes.push({ ...node, attributes: {}, gradients: [] })
    this.outputs.push(value)
  }

  /** Returns the size of a named axis when the graph runs, as a vector of one number. */
  dim(name: string): Value {
    const known = this.#dims.get(name)
    if (known) return known
    const source = this.inputs.find(({ shape }) => shape.includes(name))
    if (!source) throw new KithError('BAD_SHAPE', `no input of the graph has the axis ${name}`)
    const start = source.shape.indexOf(name)
    const attributes = { start, end: start + 1 }
    const [size] = this.node('Shape', [source], [[1]], { attributes, dtype: 'int64' })
    this.#dims.set(name, size!)
    return size!
  }

  #value(name: string, dtype: DType, shape: readonly Dim[]): Value {
    if (this.#names.has(name)) {
      throw new KithError('BAD_INPUT', `the graph has two values named ${name}`)
    }
    this.#names.add(name)
    return { graph: this, name, dtype, shape }
  }
}

function dtypeOf(data: Numbers): DType {
  if (data instanceof Float32Array) return 'float32'
  return data instanceof Int8Array ? 'int8' : 'int64'
}
