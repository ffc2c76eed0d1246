import { join } from 'node:path'
import type { StudioExport } from '@kith/studio'
import type { Output } from './output.ts'

/** Prints the contents of an exported studio. */
export function tellExported(output: Output, made: StudioExport): void {
  const { folder, queries, documents, bytes } = made
  const contents = `${queries} queries, ${documents} documents, ${(bytes / 1e6).toFixed(1)} MB`
  output.result(made, `${join(folder, 'index.html')}: ${contents}`)
}
