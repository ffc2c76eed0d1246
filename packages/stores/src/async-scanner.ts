import {
  type Batch,
  type Best,
  type Block,
  createScanner,
  type ScannerRecipe,
} from './exact/scanner.ts'

/** A scanner at work, here or in another thread. Calls are answered in their order. */
export interface AsyncScanner {
  begin(batch: Batch): Promise<void>
  scan(block: Block): Promise<void>
  finish(): Promise<Best>
}

/** A scanner in the caller's thread, which gets time for other things after every block. */
export function localScanner(recipe: ScannerRecipe): AsyncScanner {
  const scanner = createScanner(recipe)
  return {
    async begin(batch) {
      scanner.begin(batch)
    },
    async scan(block) {
      scanner.scan(block)
      await new Promise((resolve) => setImmediate(resolve))
    },
    async finish() {
      return scanner.finish()
    },
  }
}
