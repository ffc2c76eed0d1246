/**
 * Compiles a package's AssemblyScript kernel twice, with plain and with relaxed SIMD. Writes both
 * into src/generated/, for the package to carry. Writes the files that its package.json exports into
 * dist/, for runtimes that compile no bytes. Runs in the package's folder.
 * With an argument, such as `simd`, makes that build alone.
 *
 * In a package for browsers (`--text`) most bytes are one character each, so that gzip shortens them
 * as it shortens the module itself; other packages carry hexadecimal digits, which Node reads.
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
const written = process.argv.includes('--text') ? textOf : hexOf
for (const { file, features } of builds) {
  if (only && only !== file) continue
  const wasm = await compile(features)
  const source = [
    '/** Made by scripts/build-kernel.mjs from assembly/: do not edit. */',
    `export const wasm: string =\n  "${written(wasm)}"\n`,
  ].join('\n')
  await writeFile(new URL(`src/generated/${file}.ts`, packageFolder), source)
  const exported = exports[`./${file}.wasm`]
  if (exported) await writeFile(new URL(exported, packageFolder), wasm)
  console.log(`kernel ${file}: ${wasm.length} bytes`)
}

function hexOf(wasm) {
  return Buffer.from(wasm).toString('hex')
}

/**
 * A character for a byte below 88, two for a byte above: the characters from # to ~ without \\ are 0 to
 * 90, and 88 and 89 add 88 and 176 to the one behind them. packages/core/src/kernel/load.ts reads them.
 */
function textOf(wasm) {
  const character = (value) => String.fromCharCode(value + (value < 57 ? 35 : 36))
  return Array.from(wasm, (byte) => {
    const page = Math.floor(byte / 88)
    return (page > 0 ? character(87 + page) : '') + character(byte % 88)
  }).join('')
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
