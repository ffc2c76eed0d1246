import { KithError } from '@kith/core'
import type { Attribute, DType, Graph, GraphNode, Numbers, Value } from './graph.ts'

/** Opset 20 is the first in which Gelu is a single operation; IR version 9 belongs to it. */
const OPSET = 20
const IR_VERSION = 9
/** Maximum size of a protobuf message in bytes. */
const LARGEST = 2 ** 31 - 1

/** The numbers of TensorProto.DataType. */
const types: Record<DType, number> = { float32: 1, uint8: 2, int8: 3, int32: 6, int64: 7 }
/** The numbers of AttributeProto.AttributeType. */
const kind = { float: 1, integer: 2, string: 3, integers: 7 }

/**
 * Converts a graph to an ONNX model.
 *
 * @param weights Returns the numbers of a parameter, which become a part of the model; without it,
 * parameters are inputs that are fed at each run.
 */
export function toOnnx(graph: Graph, weights?: (parameter: Value) => Float32Array): Message {
  const body = new Message()
  for (const node of graph.nodes) body.message(1, nodeMessage(node))
  body.text(2, 'kith')
  for (const { value, data } of graph.constants) body.message(5, tensor(value, data))
  if (weights) {
    for (const value of graph.parameters) body.message(5, tensor(value, weights(value)))
  }
  const inputs = weights ? graph.inputs : [...graph.inputs, ...graph.parameters]
  for (const value of inputs) body.message(11, info(value))
  for (const value of graph.outputs) body.message(12, info(value))
  const model = new Message()
    .integer(1, IR_VERSION)
    .text(2, 'kith')
    .message(7, body)
    .message(8, new Message().integer(2, OPSET))
  if (model.length > LARGEST) {
    throw new KithError(
      'OUT_OF_MEMORY',
      `the model needs ${(model.length / 2 ** 30).toFixed(1)} GB in float32, but an ONNX file can have at most 2 GB; choose a smaller model`,
    )
  }
  return model
}

function nodeMessage({ type, inputs, outputs, attributes }: GraphNode): Message {
  const message = new Message()
  for (const { name } of inputs) message.text(1, name)
  for (const { name } of outputs) message.text(2, name)
  message.text(3, outputs[0]!.name).text(4, type)
  for (const [name, value] of Object.entries(attributes)) message.message(5, attribute(name, value))
  return message
}

function attribute(name: string, value: Attribute): Message {
  const message = new Message().text(1, name)
  if (typeof value === 'number') return message.integer(3, value).integer(20, kind.integer)
  if (typeof value === 'string') return message.text(4, value).integer(20, kind.string)
  if ('float' in value) return message.float(2, value.float).integer(20, kind.float)
  for (const item of value) message.integer(8, item)
  return message.integer(20, kind.integers)
}

/**
 * Builds a tensor. Numbers are little-endian, in ONNX and on every machine that onnxruntime
 * supports.
 */
function tensor({ name, dtype, shape }: Value, data: Numbers): Message {
  const message = new Message()
  for (const dim of shape) message.integer(1, dim as number)
  message.integer(2, types[dtype]).text(8, name)
  return message.bytes(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
}

function info({ name, dtype, shape }: Value): Message {
  const dims = new Message()
  for (const dim of shape) {
    const size = new Message()
    dims.message(1, typeof dim === 'number' ? size.integer(1, dim) : size.text(2, dim))
  }
  const type = new Message().message(1, new Message().integer(1, types[dtype]).message(2, dims))
  return new Message().text(1, name).message(2, type)
}

const utf8 = new TextEncoder()

/**
 * A protobuf message under construction. Long byte fields are not copied until the whole message is
 * written: weights make up most of a model.
 */
export class Message {
  readonly #parts: Uint8Array[] = []
  #length = 0

  /** The size of the message so far, in bytes. */
  get length(): number {
    return this.#length
  }

  /** Appends a whole number; negative numbers take ten bytes, as protobuf requires. */
  integer(field: number, value: number | bigint): this {
    return this.#add(varint(field << 3)).#add(varint(value))
  }

  /** Appends a float32. */
  float(field: number, value: number): this {
    return this.#add(varint((field << 3) | 5)).#add(new Uint8Array(Float32Array.of(value).buffer))
  }

  /** Appends bytes, after their length. */
  bytes(field: number, bytes: Uint8Array): this {
    return this.#head(field, bytes.length).#add(bytes)
  }

  /** Appends a text as UTF-8. */
  text(field: number, text: string): this {
    return this.bytes(field, utf8.encode(text))
  }

  /** Appends a nested message. */
  message(field: number, inner: Message): this {
    this.#head(field, inner.length)
    for (const part of inner.#parts) this.#add(part)
    return this
  }

  /** Returns the parts of the message in order. */
  parts(): Iterable<Uint8Array> {
    return this.#parts
  }

  /** Writes the message to memory that is large enough. */
  copyTo(memory: Uint8Array): void {
    let at = 0
    for (const part of this.#parts) {
      memory.set(part, at)
      at += part.length
    }
  }

  /** Returns the message as one array. */
  toBytes(): Uint8Array {
    const whole = new Uint8Array(this.#length)
    this.copyTo(whole)
    return whole
  }

  #head(field: number, length: number): this {
    return this.#add(varint((field << 3) | 2)).#add(varint(length))
  }

  #add(part: Uint8Array): this {
    this.#parts.push(part)
    this.#length += part.length
    return this
  }
}

/**
 * Encodes a whole number with seven bits per byte, lowest bits first; the top bit is set on all
 * bytes but the last.
 */
function varint(value: number | bigint): Uint8Array {
  let rest = BigInt.asUintN(64, BigInt(value))
  const bytes: number[] = []
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  bytes.push(Number(rest))
  return Uint8Array.from(bytes)
}
