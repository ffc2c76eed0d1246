import { KithError } from '../error.ts'
import { wasm as relaxedSimd } from '../generated/relaxed-simd.ts'
import { wasm as simd } from '../generated/simd.ts'
import { show } from '../settings/show.ts'
import type { Engine, KernelName } from './engine.ts'
import { TypeScriptEngine } from './typescript-engine.ts'
import { WasmEngine } from './wasm-engine.ts'

/** The parts of Node's `process` that are used if there is one. */
interface NodeProcess {
  env?: Record<string, string | undefined>
  versions?: { node?: string }
  getBuiltinModule?(name: 'node:v8'): { setFlagsFromString(flag: string): void }
}

const { process } = globalThis as { process?: NodeProcess }

const order: readonly KernelName[] = ['relaxed-simd', 'simd', 'typescript']
const sources = /* @__PURE__ */ new Map<KernelName, string>([
  ['relaxed-simd', relaxedSimd],
  ['simd', simd],
])
const modules = new Map<KernelName, WebAssembly.Module | undefined>()
let chosen: KernelName | undefined

/**
 * Returns the name of the default kernel: the fastest kernel that runs on this machine, or the one
 * that the environment variable KITH_KERNEL names.
 *
 * ```ts
 * kernel() // 'relaxed-simd'
 * ```
 */
export function kernel(): KernelName {
  chosen ??= forced() ?? order.find(available)!
  return chosen
}

/** Whether a kernel runs on this machine. */
export function available(name: KernelName): boolean {
  return name === 'typescript' || moduleOf(name) !== undefined
}

/** A new engine with separate memory. */
export function createEngine(name: KernelName = kernel()): Engine {
  if (name === 'typescript') return new TypeScriptEngine()
  const module = moduleOf(name)
  if (!module) {
    throw new KithError(
      'BAD_SETTING',
      `the kernel ${show(name)} does not run here; use one of ${order.filter(available).join(', ')}`,
    )
  }
  return new WasmEngine(name, module)
}

/**
 * Sets a compiled kernel, for programs that may not compile bytes themselves. Cloudflare Workers do
 * not need it: there the package's entry imports its `.wasm` file.
 *
 * ```ts
 * init(module) // your bundler's import of '@kith/core/simd.wasm'
 * ```
 *
 * Call it before the first ranking; the kernel is then the default.
 */
export function init(module: object, name: Exclude<KernelName, 'typescript'> = 'simd'): void {
  if (!(typeof WebAssembly !== 'undefined' && module instanceof WebAssembly.Module)) {
    throw new KithError('BAD_INPUT', `init needs a WebAssembly.Module, got ${show(module)}`)
  }
  if (!sources.has(name)) {
    throw new KithError('BAD_SETTING', `kernel must be relaxed-simd or simd, got ${show(name)}`)
  }
  modules.set(name, module)
  chosen = forced() ?? name
}

function forced(): KernelName | undefined {
  let name: string | undefined
  try {
    name = process?.env?.['KITH_KERNEL']
  } catch {
    // Deno does not allow reading it.
  }
  if (!name) return undefined
  if (!(order as readonly string[]).includes(name)) {
    throw new KithError(
      'BAD_SETTING',
      `KITH_KERNEL must be one of ${order.join(', ')}, got "${name}"`,
    )
  }
  return name as KernelName
}

/**
 * A kernel's compiled code, undefined if it does not run.
 *
 * @internal Its type needs WebAssembly's, which programs without the DOM's types lack.
 */
export function moduleOf(name: KernelName): WebAssembly.Module | undefined {
  const source = sources.get(name)
  if (source && !modules.has(name)) modules.set(name, compile(bytesOf(source)))
  return modules.get(name)
}

/**
 * The compiled code that counts words, undefined if none runs. Counting needs no relaxed SIMD: it
 * takes the default kernel only if that is chosen already, and never sets Node's flag.
 *
 * @internal
 */
export function wordModule(): WebAssembly.Module | undefined {
  return moduleOf(chosen ?? forced() ?? 'simd')
}

/** Undefined if the machine has no WebAssembly, not these instructions, or forbids compiling. */
function compile(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module | undefined {
  try {
    if (!WebAssembly.validate(bytes) && !(allowRelaxedSimd() && WebAssembly.validate(bytes))) {
      return undefined
    }
    return new WebAssembly.Module(bytes)
  } catch {
    return undefined
  }
}

/** Node 20 knows relaxed SIMD but keeps it behind a flag; newer versions have it on. */
function allowRelaxedSimd(): boolean {
  if (!process?.versions?.node?.startsWith('20.')) return false
  process.getBuiltinModule?.('node:v8').setFlagsFromString('--experimental-wasm-relaxed-simd')
  return true
}

/** The bytes of a kernel as scripts/build-kernel.mjs writes them. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const bytes: number[] = []
  let page = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const value = code - (code < 92 ? 35 : 36)
    if (value < 88) bytes.push(page + value)
    page = value < 88 ? 0 : (value - 87) * 88
  }
  return Uint8Array.from(bytes)
}
