/** The entry of the worker thread: a scanner that answers requests. */
import { serveThread } from '@kith/base/pool/service'
import { type Block, createScanner, type ScannerRecipe } from './exact/scanner.ts'
import type { ScanAnswer, ScanRequest, SharedBlock } from './scan-threads.ts'

serveThread<ScannerRecipe, ScanRequest, ScanAnswer>((recipe) => {
  const scanner = createScanner(recipe)
  const buffers: SharedArrayBuffer[] = []
  return {
    run(request) {
      if (request.task === 'finish') return scanner.finish()
      if (request.task === 'rest') buffers.length = 0
      else if (request.task === 'begin') scanner.begin(request.batch)
      else scanner.scan(blockOf(request.block, buffers))
      return undefined
    },
    transfer: (best) => (best ? [best.rows.buffer, best.scores.buffer] : []),
  }
})

/** Returns a block of documents, in a buffer that came with this request or an earlier one. */
function blockOf(place: SharedBlock, buffers: SharedArrayBuffer[]): Block {
  const { firstRow, buffer, shared, half, byteOffset, length } = place
  if (shared) buffers[buffer] = shared
  const memory = buffers[buffer]!
  const data = half
    ? new Uint16Array(memory, byteOffset, length)
    : new Float32Array(memory, byteOffset, length)
  return { firstRow, data }
}
