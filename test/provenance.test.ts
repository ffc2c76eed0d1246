import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryFolder } from './files.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = temporaryFolder()

// docs/provenance.md promises it.
test.each(['core', 'stores'])(
  'compiling the kernel of %s again gives the same bytes',
  async (name) => {
    const own = join(folder, name)
    mkdirSync(own)
    cpSync(join(root, 'packages', name, 'assembly'), join(own, 'assembly'), { recursive: true })
    const script = join(root, 'scripts/build-kernel.mjs')
    await promisify(execFile)(process.execPath, [script], { cwd: own })
    const made = ['simd', 'relaxed-simd'].map((build) =>
      readFileSync(join(own, `src/generated/${build}.ts`), 'utf8'),
    )
    const dist = join(root, 'packages', name, 'dist')
    const built = readdirSync(dist).filter((file) => file.endsWith('.js'))
    const shipped = built.flatMap((file) => wasmIn(readFileSync(join(dist, file), 'utf8')))
    expect(shipped.length).toBeGreaterThanOrEqual(2)
    expect(new Set(shipped)).toEqual(new Set(made.flatMap(wasmIn)))
  },
)

/** The modules of WebAssembly that a file carries, in base64. */
function wasmIn(code: string): string[] {
  return Array.from(code.matchAll(/['"](AGFzbQ[^'"]+)['"]/g), ([, module]) => module!)
}
