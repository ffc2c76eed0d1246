/**
 * The package's entry on Cloudflare Workers, which compile no bytes at run time: the kernel is a
 * module of the program there.
 */

import { init } from './kernel/load.ts'
// @ts-expect-error: bundlers for Workers give a WebAssembly.Module for a .wasm file.
import relaxedSimd from './relaxed-simd.wasm'

init(relaxedSimd, 'relaxed-simd')

export * from './index.ts'
