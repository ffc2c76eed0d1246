import { writeAtomic } from '@kith/base'
import type { Background, BackgroundOptions } from '@kith/core'
import { throwIfAborted } from '@kith/core/internal'
import { type OpenEmbeddingsOptions, openEmbeddings } from '@kith/ir'
import { backgroundFile, measureBackground } from '@kith/stores/internal'
import { writeSidecar } from '../files/sidecar.ts'
import type { Hooks } from '../job/hooks.ts'

/** The inputs of a background. */
export interface BackgroundInputs
  extends BackgroundOptions,
    Pick<OpenEmbeddingsOptions, 'dimensions' | 'memory'> {
  /** Embeddings of all documents. */
  docs: string
  /** The file to write; default: beside `docs`, where commands look for it. */
  out?: string | undefined
}

/** Samples documents of a file, and keeps the scale on which the relevance of hits is estimated. */
export async function collectBackground(
  { docs, out = backgroundFile(docs), seed, sample, dimensions, memory }: BackgroundInputs,
  { signal }: Hooks = {},
): Promise<Background & { out: string }> {
  const embeddings = await openEmbeddings(docs, { dimensions, memory })
  try {
    throwIfAborted(signal)
    const made = await measureBackground(embeddings, { seed, sample })
    await writeAtomic(out, (write) => write(`${JSON.stringify(made)}\n`))
    await writeSidecar(out, 'background', { seed, sample, documents: made.documents }, [docs])
    return { ...made, out }
  } finally {
    await embeddings.close()
  }
}
