import { type KernelName, KithError } from '@kith/core'
import { wasm as relaxedSimd } from '../generated/relaxed-simd.ts'
import { wasm as simd } from '../generated/simd.ts'
import type { ScannerRecipe } from './scanner.ts'

const modules = new Map<KernelName, WebAssembly.Module>()

/** The scanner's recipe for a kernel, compiled here so that all workers share the code. */
export function recipeFor(kernel: KernelName): ScannerRecipe {
  return { module: kernel === 'typescript' ? undefined : moduleOf(kernel) }
}

/**
 * The compiled code of a kernel. That it runs on this machine is @kith/core's
 * `kernel()` to say, which has also set the flag that Node 20 needs.
 */
function moduleOf(kernel: Exclude<KernelName, 'typescript'>): WebAssembly.Module {
  let module = modules.get(kernel)
  if (!module) {
    const bytes = Buffer.from(kernel === 'simd' ? simd : relaxedSimd, 'base64')
    if (!WebAssembly.validate(bytes)) {
      throw new KithError('BAD_SETTING', `the kernel ${kernel} does not run on this machine`)
    }
    module = new WebAssembly.Module(bytes)
    modules.set(kernel, module)
  }
  return module
}
