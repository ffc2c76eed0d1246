/**
 * Compiles a package's AssemblyScript kernel twice, with plain and with relaxed SIMD. Writes both
 * into src/generated/, for the package to carry. Writes the files that its package.json exports into
 * dist/, for runtimes that compile no bytes. Runs in the package's folder.
 * With an argument, such as `simd`, makes that build alone.
 *
 * A package for browsers (`--text`) carries the plain build alone, and makes the relaxed one of it. Most
 * bytes are one character each, so that gzip shortens them as it shortens the module itself; other
 * packages carry hexadecimal digits, which Node reads.
 */
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import asc from 'assemblyscript/asc'

const packageFolder = pathToFileURL(`${process.cwd()}/`)

const builds = [
  { file: 'relaxed-simd', features: 'simd,relaxed-simd' },
  { file: 'simd', features: 'simd' },
]

const exports = await exportsOf(new URL('package.json', packageFolder))
for (const folder of ['src/generated/', 'dist/']) {
  await mkdir(new URL(folder, packageFolder), { recursive: true })
}

const [only] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const isText = process.argv.includes('--text')
for (const { file, features } of builds) {
  if (only && only !== file) continue
  const wasm = await compile(features)
  if (file === 'simd' || !isText) {
    const source = [
      '/** Made by scripts/build-kernel.mjs from assembly/: do not edit. */',
      ...(isText ? textOf(wasm) : [constant('wasm', Buffer.from(wasm).toString('hex'))]),
    ].join('\n')
    await writeFile(new URL(`src/generated/${file}.ts`, packageFolder), source)
  }
  const exported = exports[`./${file}.wasm`]
  if (exported) await writeFile(new URL(exported, packageFolder), wasm)
  console.log(`kernel ${file}: ${wasm.length} bytes`)
}

function constant(name, text) {
  return `export const ${name}: string =\n  "${text}"\n`
}

/**
 * A character for a byte below 86, two for a byte above: the alphabet has a character for each number
 * from 0 to 85, and two that add 86 and 172 to the one behind them. Frequent bytes have the characters
 * that are frequent in the code around, so that one table of gzip fits both.
 * packages/core/src/kernel/load.ts reads them.
 */
function textOf(wasm) {
  const PAGE = 86
  const frequent =
    "etrns,i()o =a.lhu:c{}fd;mgw[]0+yC#p1&vb>?A2x*!k3|-<4M6/TDNWFSBEIUjz5_qOP8KLGHVQR7JYZ9X^@%~'"
  const numbers = Array.from(wasm, (byte) => {
    const page = Math.floor(byte / PAGE)
    return page > 0 ? [PAGE - 1 + page, byte % PAGE] : [byte]
  }).flat()
  const counts = new Array(PAGE + 2).fill(0)
  for (const number of numbers) counts[number]++
  const alphabet = []
  Array.from(counts.keys())
    .sort((a, b) => counts[b] - counts[a])
    .forEach((number, rank) => {
      alphabet[number] = frequent[rank]
    })
  const text = numbers.map((number) => alphabet[number]).join('')
  return [constant('alphabet', alphabet.join('')), constant('wasm', text)]
}

/** What a package exports; nothing if the sources stand alone. */
async function exportsOf(manifest) {
  if (!existsSync(manifest)) return {}
  return JSON.parse(await readFile(manifest, 'utf8')).exports
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
