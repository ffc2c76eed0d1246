/**
 * The time of native code for the first step alone: onnxruntime-node's single-threaded Gemm of
 * A·Aᵀ, as a handwritten ONNX model with one node.
 */
import { InferenceSession, Tensor } from '@kith/encoder/runtime'

const FLOAT = 1
const INT = 2 // AttributeProto.Type

/** One length-delimited protobuf field. */
function field(number, bytes) {
  return [...varint((number << 3) | 2), ...varint(bytes.length), ...bytes]
}

function integer(number, value) {
  return [...varint(number << 3), ...varint(value)]
}

function varint(value) {
  const bytes = []
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128)
  bytes.push(value)
  return bytes
}

const text = (number, string) => field(number, [...new TextEncoder().encode(string)])

function tensorInfo(name, shape) {
  const dimensions = shape.flatMap((size) => field(1, integer(1, size)))
  const type = field(1, [...integer(1, FLOAT), ...field(2, dimensions)])
  return [...text(1, name), ...field(2, type)]
}

/** A session that computes the Gram matrix of `rows` × `dimensions` vectors on one thread. */
export async function gemmSession(rows, dimensions) {
  const transB = [...text(1, 'transB'), ...integer(3, 1), ...integer(20, INT)]
  const node = [
    ...text(1, 'a'),
    ...text(1, 'a'),
    ...text(2, 's'),
    ...text(4, 'Gemm'),
    ...field(5, transB),
  ]
  const graph = [
    ...field(1, node),
    ...text(2, 'gram'),
    ...field(11, tensorInfo('a', [rows, dimensions])),
    ...field(12, tensorInfo('s', [rows, rows])),
  ]
  const model = [...integer(1, 8), ...field(7, graph), ...field(8, integer(2, 17))]
  const session = await InferenceSession.create(Uint8Array.from(model), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  })
  const output = new Tensor('float32', new Float32Array(rows * rows), [rows, rows])
  return async (data) => {
    await session.run({ a: new Tensor('float32', data, [rows, dimensions]) }, { s: output })
    return output.data
  }
}
