/**
 * Compiles a package's AssemblyScript kernel twice, with plain and with relaxed
 * SIMD, and writes both as base64 into src/generated/ for the package to carry.
 * Runs in the package's folder.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import asc from 'assemblyscript/asc'

const packageFolder = pathToFileURL(`${process.cwd()}/`)

const builds = [
  { file: 'relaxed-simd', features: 'simd,relaxed-simd' },
  { file: 'simd', features: 'simd' },
]

await mkdir(new URL('src/generated/', packageFolder), { recursive: true })

for (const { file, features } of builds) {
  const wasm = await compile(features)
  const source = [
    '/** Made by scripts/build-kernel.mjs from assembly/: do not edit. */',
    `export const wasm: string =\n  '${Buffer.from(wasm).toString('base64')}'\n`,
  ].join('\n')
  await writeFile(new URL(`src/generated/${file}.ts`, packageFolder), source)
  console.log(`kernel ${file}: ${wasm.length} bytes`)
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
