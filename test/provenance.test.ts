import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
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
    for (const build of ['simd', 'relaxed-simd']) {
      const made = wasmIn(join(own, `src/generated/${build}.ts`))
      expect(made).toMatch(/^AGFzbQ/)
      expect(made).toBe(wasmIn(join(root, 'packages', name, `dist/generated/${build}.js`)))
    }
  },
)

/** The module that a generated file carries, in base64. */
function wasmIn(file: string): string | undefined {
  return /wasm(?:: string)? =\s+'([^']+)'/.exec(readFileSync(file, 'utf8'))?.[1]
}
