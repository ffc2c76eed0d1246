import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryFolder } from './files.ts'
import { thorough } from './thorough.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = temporaryFolder()

const kernels: [string, string[]][] = [
  ['core', ['simd']],
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

/** The modules in the build of a package. */
function shippedBy(name: string): string[] {
  const dist = join(root, 'packages', name, 'dist')
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  const built = files.filter((file) => file.endsWith('.js'))
  return built.flatMap((file) => wasmIn(readFileSync(join(dist, file), 'utf8')))
}

/** The modules of WebAssembly that a file carries: in hex, or as the text of scripts/build-kernel.mjs. */
function wasmIn(code: string): string[] {
  return Array.from(code.matchAll(/0061736d[0-9a-f]+|(?<=")[^"\n]{10000,}(?=")/g), ([wasm]) => wasm)
}
