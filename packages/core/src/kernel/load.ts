import { KithError } from '../error.ts'
import { alphabet, wasm } from '../generated/simd.ts'
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

const compiled: readonly KernelName[] = ['relaxed-simd', 'simd']
const order: readonly KernelName[] = [...compiled, 'typescript']
/** Bytes that one character of the text stands for. */
const PAGE = 86
const modules = new Map<KernelName, WebAssembly.Module | undefined>()
let chosen: KernelName | undefined
/** The kernel that counts words as long as no kernel is chosen: reading the environment is slow. */
let counting: KernelName | undefined

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
  if (!compiled.includes(name)) {
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
  if (compiled.includes(name) && !modules.has(name)) {
    modules.set(name, compile(kernelBytes(name)))
  }
  return modules.get(name)
}

/**
 * The compiled code that counts words, undefined if none runs. Counting needs no relaxed SIMD: it
 * takes the default kernel only if that is chosen already, and never sets Node's flag.
 *
 * @internal
 */
export function wordModule(): WebAssembly.Module | undefined {
  counting ??= forced() ?? 'simd'
  return moduleOf(chosen ?? counting)
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

/**
 * The bytes of a kernel. The plain kernel is the text that scripts/build-kernel.mjs writes. The relaxed
 * kernel has `relaxed_madd` in place of `mul`, `local.get`, `add`, and fills the room with `nop`.
 */
export function kernelBytes(name: KernelName): Uint8Array<ArrayBuffer> {
  let code = ''
  let page = 0
  for (const character of wasm) {
    const value = alphabet.indexOf(character)
    if (value < PAGE) code += String.fromCharCode(page + value)
    page = value < PAGE ? 0 : (value - PAGE + 1) * PAGE
  }
  if (name === 'relaxed-simd') {
    code = code.replace(/\xfd\xe6.( .)\xfd\xe4./gs, '\x01\x01\x01$1\xfd\x85\x02')
  }
  return Uint8Array.from(code, (byte) => byte.charCodeAt(0))
}
