import { KithError } from '@kith/core'
import type { Attribute, DType, Graph, GraphNode, Numbers, Value } from './graph.ts'
import { Message } from './protobuf.ts'

/** Gelu is an operation of its own from opset 20 on; IR version 9 came with it. */
const OPSET = 20
const IR_VERSION = 9
/** protobuf's own limit for one message. */
const LARGEST = 2 ** 31 - 1

/** TensorProto.DataType. */
const types: Record<DType, number> = { float32: 1, uint8: 2, int8: 3, int32: 6, int64: 7 }
/** AttributeProto.AttributeType. */
const kind = { float: 1, integer: 2, string: 3, integers: 7 }

/**
 * A graph as an ONNX model.
 *
 * @param weights The contents of a parameter, which then becomes part of the model;
 *   without it, parameters are inputs, to be fed at each run.
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
      `the model takes ${(model.length / 2 ** 30).toFixed(1)} GB in float32; one ONNX file holds at most 2 GB, so choose a smaller model`,
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

/** Little-endian, as ONNX has it and every machine that onnxruntime runs on. */
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
