/**
 * Milliseconds per query of reranking, one thread: each kernel, the split of the
 * fastest into its steps, and beside it what onnxruntime's native Gemm needs for
 * the Gram matrix alone. Gemm and the compiled kernels of one size run in the same
 * rounds, so that their ratios hold on a noisy machine; the split into steps and
 * plain TypeScript are measured by themselves. The public calls and the generations with texts follow.
 */
import { presets, Reranker } from '@kith/core'
import { available, contextOf, createEngine, mix, orderByScore, Postings } from '@kith/core/steps'
import { clusteredContext } from './clusters.mjs'
import { compareGenerations } from './generations.mjs'
import { compareLists } from './lists.mjs'
import { median, sideBySide, table } from './measure.mjs'
import { gemmSession } from './onnx-gemm.mjs'
import { comparePublicCalls } from './public-call.mjs'

const kernels = ['relaxed-simd', 'simd', 'typescript'].filter(available)
const fastest = kernels[0]
const sizes = [60, 100, 200, 1000]
const lengths = [768, 384]
const trusts = [0, 0.5]

export async function run() {
  const rows = [
    ['N', 'd', 'trust', 'Gemm', ...kernels, '× Gemm', 'check', 'copy, Gram', 'neighbors', 'rest'],
  ]
  for (const size of sizes) {
    process.stderr.write(`measuring N = ${size} …\n`)
    const times = await measureSize(size)
    for (const dimensions of lengths) {
      for (const trust of trusts) {
        const of = (name) => times[`${name} ${dimensions} ${trust}`]
        const gemm = times[`gemm ${dimensions}`]
        rows.push([
          size,
          dimensions,
          trust,
          gemm.toFixed(3),
          ...kernels.map((name) => of(name).toFixed(3)),
          (of(fastest) / gemm).toFixed(2),
          ...of('split').map((time) => time.toFixed(3)),
        ])
      }
    }
  }
  console.log('\nReranking, ms per query (paper settings, k = 21, one thread, medians)\n')
  console.log(table(rows))
  await comparePublicCalls()
  await compareGenerations()
  await compareLists()
}

/** The medians of everything at one context size, by name. */
async function measureSize(size) {
  const inputs = Array.from({ length: size > 500 ? 6 : 40 }, (_, i) =>
    Object.fromEntries(lengths.map((dimensions) => [dimensions, input(size, dimensions, i)])),
  )
  const rounds = size > 500 ? 24 : size > 150 ? 120 : 400
  const contestants = {}
  const alone = {}
  for (const dimensions of lengths) {
    const gemm = await gemmSession(size + 1, dimensions)
    contestants[`gemm ${dimensions}`] = (all) => gemm(all[dimensions].flat)
    for (const trust of trusts) {
      const settings = { ...presets['msmarco-tas-b'], contextSize: size, trust }
      for (const kernel of kernels) {
        const reranker = new Reranker({ ...settings, kernel })
        const rerank = (all) => reranker.rerank(all[dimensions].query, all[dimensions].candidates)
        const name = `${kernel} ${dimensions} ${trust}`
        if (kernel !== 'typescript') contestants[name] = rerank
        else {
          // Slow enough that a few runs suffice.
          const some = inputs.slice(0, size > 500 ? 2 : 6)
          alone[name] = (await sideBySide({ rerank }, some, some.length)).rerank
        }
      }
      const split = inputs.map((all) => all[dimensions])
      alone[`split ${dimensions} ${trust}`] = splitTimes(settings, split, rounds)
    }
  }
  return { ...alone, ...(await sideBySide(contestants, inputs, rounds)) }
}

function input(size, dimensions, seed) {
  const { query, candidates } = clusteredContext(size, dimensions, 1000 * size + seed)
  const flat = new Float32Array((size + 1) * dimensions)
  flat.set(query)
  candidates.forEach((row, r) => {
    flat.set(row, (r + 1) * dimensions)
  })
  return { query, candidates, flat }
}

/** Milliseconds for checking the input, the Gram matrix with copying, the neighbors, and the rest. */
function splitTimes(settings, inputs, rounds) {
  const engine = createEngine(fastest)
  const postings = new Postings()
  const steps = [[], [], [], []]
  for (let round = 0; round < rounds; round++) {
    const { query, candidates } = inputs[round % inputs.length]
    const marks = [performance.now()]
    const context = contextOf(query, candidates, settings.contextSize, postings, settings)
    marks.push(performance.now())
    const graph = engine.gram(context.views.get('vectors'))
    marks.push(performance.now())
    const neighborhoods = engine.neighbors(graph, settings)
    marks.push(performance.now())
    const geometric = { values: graph.row(0), noise: 0 }
    orderByScore(mix(geometric, neighborhoods.jaccard(0), 0, settings))
    engine.release()
    marks.push(performance.now())
    steps.forEach((times, s) => {
      times.push(marks[s + 1] - marks[s])
    })
  }
  return steps.map(median)
}
