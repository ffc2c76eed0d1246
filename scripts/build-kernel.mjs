/**
 * Compiles a package's AssemblyScript kernel twice, with plain and with relaxed SIMD. Writes both
 * into src/generated/, for the package to carry, in hex, which gzip shortens more than base64. Writes
 * the files that its package.json exports into dist/, for runtimes that compile no bytes. Runs in
 * the package's folder.
 * With an argument, such as `simd`, makes that build alone.
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

for (const { file, features } of builds) {
  if (process.argv[2] && process.argv[2] !== file) continue
  const wasm = await compile(features)
  const source = [
    '/** Made by scripts/build-kernel.mjs from assembly/: do not edit. */',
    `export const wasm: string =\n  '${Buffer.from(wasm).toString('hex')}'\n`,
  ].join('\n')
  await writeFile(new URL(`src/generated/${file}.ts`, packageFolder), source)
  const exported = exports[`./${file}.wasm`]
  if (exported) await writeFile(new URL(exported, packageFolder), wasm)
  console.log(`kernel ${file}: ${wasm.length} bytes`)
}

/** The exports of a package; none if the sources are alone. */
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
