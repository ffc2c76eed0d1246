/**
 * Compiles a package's AssemblyScript kernel twice, with plain and with relaxed
 * SIMD. Writes both as base64 into src/generated/, for the package to carry, and the files that its
 * package.json exports into dist/, for runtimes that compile no bytes. Runs in the package's folder.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import asc from 'assemblyscript/asc'

const packageFolder = pathToFileURL(`${process.cwd()}/`)

const builds = [
  { file: 'relaxed-simd', features: 'simd,relaxed-simd' },
  { file: 'simd', features: 'simd' },
]

const { exports } = JSON.parse(await readFile(new URL('package.json', packageFolder), 'utf8'))
for (const folder of ['src/generated/', 'dist/']) {
  await mkdir(new URL(folder, packageFolder), { recursive: true })
}

const [relaxed, plain] = await Promise.all(builds.map(({ features }) => compile(features)))
await write('simd', plain, '', quoted(base64Of(plain)))
const source = "import { wasm as simd } from './simd.ts'\n\n"
await write('relaxed-simd', relaxed, source, differenceOf(base64Of(plain), base64Of(relaxed)))

async function write(file, wasm, head, value) {
  const text = `/** Made by scripts/build-kernel.mjs from assembly/: do not edit. */\n${head}export const wasm: string =\n  ${value}\n`
  await writeFile(new URL(`src/generated/${file}.ts`, packageFolder), text)
  const exported = exports[`./${file}.wasm`]
  if (exported) await writeFile(new URL(exported, packageFolder), wasm)
  console.log(`kernel ${file}: ${wasm.length} bytes`)
}

/** A text as parts of another one, and what is new: the two kernels differ in a few instructions. */
function differenceOf(from, to) {
  const LEAST = 48
  const places = new Map()
  for (let at = 0; at + LEAST <= from.length; at++) places.set(from.slice(at, at + LEAST), at)
  const parts = []
  let own = ''
  for (let at = 0; at < to.length; ) {
    const place = places.get(to.slice(at, at + LEAST))
    if (place === undefined) {
      own += to[at++]
      continue
    }
    let length = LEAST
    while (at + length < to.length && from[place + length] === to[at + length]) length++
    if (own) parts.push(quoted(own))
    own = ''
    parts.push(`simd.slice(${place}, ${place + length})`)
    at += length
  }
  if (own) parts.push(quoted(own))
  return parts.join(' +\n  ')
}

function quoted(text) {
  return `'${text}'`
}

function base64Of(wasm) {
  return Buffer.from(wasm).toString('base64')
}

async function compile(features) {
  let wasm
  const { error, stderr } = await asc.main(
    [
      'assembly/index.ts',
      ...['--baseDir', process.cwd()],
      ...['--outFile', 'kernel.wasm'],
      ...['--enable', features],
      ...['--runtime', 'stub'],
      ...[
        '--optimizeLevel',
        '3',
        '--shrinkLevel',
        '0',
        '--converge',
        '--noAssert',
        '--importMemory',
      ],
    ],
    {
      writeFile(name, contents) {
        if (name.endsWith('.wasm')) wasm = contents
      },
    },
  )
  if (error) throw new Error(`the kernel does not compile: ${error.message}\n${stderr}`)
  return wasm
}
