/** The worker thread: a scanner that does what messages ask for. */
import { parentPort, workerData } from 'node:worker_threads'
import { ScanError } from './scan-error.ts'
import { type Block, createScanner, type ScannerRecipe } from './scanner.ts'
import type { Answer, Request, SharedBlock } from './worker-lane.ts'

const scanner = createScanner(workerData as ScannerRecipe)
const buffers: SharedArrayBuffer[] = []

parentPort!.on('message', (request: Request) => {
  let answer: Answer
  try {
    answer = perform(request)
  } catch (error) {
    const code = error instanceof ScanError ? error.code : undefined
    answer = { error: { code, message: (error as Error).message } }
  }
  const { rows, scores } = answer.best ?? {}
  parentPort!.postMessage(answer, rows && scores ? [rows.buffer, scores.buffer] : [])
})

function perform(request: Request): Answer {
  if (request.task === 'finish') return { best: scanner.finish() }
  if (request.task === 'rest') buffers.length = 0
  else if (request.task === 'begin') scanner.begin(request.batch)
  else scanner.scan(open(request.block))
  return {}
}

function open({ firstRow, buffer, shared, half, byteOffset, length }: SharedBlock): Block {
  if (shared) buffers[buffer] = shared
  const memory = buffers[buffer]!
  const data = half
    ? new Uint16Array(memory, byteOffset, length)
    : new Float32Array(memory, byteOffset, length)
  return { firstRow, data }
}
