/**
 * Measures how much faster inner products of 7-bit codes are than of floats in WebAssembly. Compiles the two inner loops of packages/stores/assembly and lets a tile of
 * documents of 768 numbers meet 48 queries; CPU time, median of 25 rounds.
 *
 *   node experiments/integer-products.mjs
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { kernel } from '@kith/core'
import asc from 'assemblyscript/asc'
import { median, table } from '../bench/measure.mjs'

const FOLDER = 'packages/stores/assembly'
const ENTRY = `export { products } from './products'\nexport { codeProducts } from './code-products'\n`
const DIMENSIONS = 768
const QUERIES = 48
const ROUNDS = 25
const [QUERY_AT, TILE_AT, SUMS_AT] = [1 << 16, 1 << 20, 1 << 22]

// Asking for the kernel also allows relaxed SIMD on Node 20.
if (kernel() !== 'relaxed-simd') throw new Error('this CPU has no relaxed SIMD')
const memory = new WebAssembly.Memory({ initial: 80 })
new Uint8Array(memory.buffer).fill(1)
const module = new WebAssembly.Module(await compile())
const { products, codeProducts } = new WebAssembly.Instance(module, { env: { memory } }).exports

const contestants = {
  floats: { run: products, documents: 32, steps: DIMENSIONS / 4, pairBytes: DIMENSIONS * 8 },
  codes: { run: codeProducts, documents: 128, steps: DIMENSIONS / 16, pairBytes: DIMENSIONS * 2 },
}
const times = { floats: [], codes: [] }
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, contestant] of Object.entries(contestants)) {
    times[name].push(nanoseconds(contestant))
  }
}
const [floats, codes] = [median(times.floats), median(times.codes)]
console.log(
  table([
    ['products of', 'ns each', '10⁹ multiplications/s', ''],
    ['floats', floats.toFixed(1), (DIMENSIONS / floats).toFixed(1), ''],
    [
      'codes',
      codes.toFixed(1),
      (DIMENSIONS / codes).toFixed(1),
      `${(floats / codes).toFixed(2)} ×`,
    ],
  ]),
)

/** CPU time of one product of a query and a document. */
function nanoseconds({ run, documents, steps, pairBytes }) {
  const tiles = 4096 / documents
  const start = process.cpuUsage().user
  for (let tile = 0; tile < tiles; tile++) {
    for (let pair = 0; pair < QUERIES / 2; pair++) {
      run(QUERY_AT + pair * pairBytes, TILE_AT, documents, steps, SUMS_AT, documents * 4)
    }
  }
  return ((process.cpuUsage().user - start) * 1000) / (tiles * documents * QUERIES)
}

async function compile() {
  let wasm
  const { error } = await asc.main(
    [
      ...['entry.ts', '--outFile', 'kernel.wasm', '--enable', 'simd,relaxed-simd'],
      ...[
        '--runtime',
        'stub',
        '--optimizeLevel',
        '3',
        '--converge',
        '--noAssert',
        '--importMemory',
      ],
    ],
    {
      readFile: (name) =>
        name === 'entry.ts' ? ENTRY : readFile(join(FOLDER, name), 'utf8').catch(() => null),
      writeFile(name, contents) {
        if (name.endsWith('.wasm')) wasm = contents
      },
    },
  )
  if (error) throw error
  return wasm
}
