import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryFolder } from './files.ts'
import { fencesOf } from './pages.ts'
import { thorough } from './thorough.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = temporaryFolder()

const kernels: [string, string[]][] = [
  ['core', ['simd', 'relaxed-simd']],
  ['stores', ['simd', 'relaxed-simd']],
  ['server', ['simd']],
]

// docs/provenance.md promises it.
test.each(thorough ? kernels : kernels.slice(-1))(
  'compiles the kernel of %s to the same bytes again',
  async (name, builds) => {
    const own = join(folder, name)
    mkdirSync(own)
    cpSync(join(root, 'packages', name, 'assembly'), join(own, 'assembly'), { recursive: true })
    const script = join(root, 'scripts/build-kernel.mjs')
    const form = name === 'core' ? ['--text'] : []
    await promisify(execFile)(process.execPath, [script, ...form], { cwd: own })
    const made = builds.map((build) => readFileSync(join(own, `src/generated/${build}.ts`), 'utf8'))
    const shipped = shippedBy(name)
    expect(made.flatMap(wasmIn)).toHaveLength(builds.length)
    expect(shipped.length).toBeGreaterThanOrEqual(builds.length)
    expect(new Set(shipped)).toEqual(new Set(made.flatMap(wasmIn)))
  },
)

test('extracts the modules from the core with the program of docs/provenance.md', async () => {
  const own = join(folder, 'page')
  mkdirSync(own)
  symlinkSync(join(root, 'packages'), join(own, 'packages'))
  const program = fencesOf('docs/provenance.md', 'sh').find(({ code }) => code.startsWith('node '))
  await promisify(execFile)('bash', ['-c', program!.code], { cwd: own })
  const taken = ['kernel-0.wasm', 'kernel-1.wasm'].map((name) => readFileSync(join(own, name)))
  expect(new Set(taken.map((wasm) => wasm.toString('hex')))).toEqual(new Set(shippedBy('core')))
})

/** The modules in the build of a package. */
function shippedBy(name: string): string[] {
  const dist = join(root, 'packages', name, 'dist')
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  const built = files.filter((file) => file.endsWith('.js'))
  return built.flatMap((file) => wasmIn(readFileSync(join(dist, file), 'utf8')))
}

/** The modules of WebAssembly that a file carries, in hex. */
function wasmIn(code: string): string[] {
  const inHex = Array.from(code.matchAll(/0061736d[0-9a-f]+/g), ([module]) => module)
  const inText = Array.from(code.matchAll(/#\|,\|>\|8[#-[\]-~]+/g), ([module]) => hexOf(module))
  return [...inHex, ...inText]
}

/** A module that scripts/build-kernel.mjs wrote as text, in hex. */
function hexOf(text: string): string {
  const characters = text.match(/[|}]?[^|}]/g)!
  const placeOf = (character: string) =>
    "#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{".indexOf(
      character,
    )
  const bytes = characters.map(
    (pair) => ['', '|', '}'].indexOf(pair.slice(0, -1)) * 88 + placeOf(pair.at(-1)!),
  )
  return Buffer.from(bytes).toString('hex')
}
