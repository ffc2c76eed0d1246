import { writeAtomic } from '@kith/base'
import { type Background, type BackgroundOptions, KithError } from '@kith/core'
import { throwIfAborted } from '@kith/core/internal'
import { type OpenEmbeddingsOptions, openEmbeddings } from '@kith/ir'
import { openStore } from '@kith/stores'
import { storeName, wholeAddress } from '@kith/stores/address'
import { backgroundFile, measureBackground, modelOf } from '@kith/stores/internal'
import { writeSidecar } from '../files/sidecar.ts'
import type { Hooks } from '../job/hooks.ts'
import { placeOf } from '../join/place.ts'

/** The inputs for making a background. */
export interface BackgroundInputs
  extends BackgroundOptions,
    Pick<OpenEmbeddingsOptions, 'dimensions' | 'memory'> {
  /** The embeddings of all documents. */
  docs?: string | undefined
  /**
   * A store to use instead: `postgres://…`, or a LanceDB folder or URL; the store saves the
   * background.
   */
  store?: string | undefined
  /** The file to write; default: beside `docs`, where commands look for it. */
  out?: string | undefined
}

/**
 * Samples documents of a file or store, and saves the background for estimating the relevance of
 * hits. `out` of the result is its location.
 */
export async function collectBackground(
  inputs: BackgroundInputs,
  hooks: Hooks = {},
): Promise<Background & { out: string }> {
  const place = placeOf(inputs)
  if ('docs' in place) return measureFile({ ...inputs, docs: place.docs }, hooks)
  const { seed, sample, model, out } = inputs
  if (out !== undefined) {
    throw new KithError(
      'BAD_SETTING',
      'a store keeps its background itself; leave out the option out',
    )
  }
  await using store = await openStore(wholeAddress(place.store))
  throwIfAborted(hooks.signal)
  return { ...(await store.makeBackground!({ seed, sample, model })), out: storeName(place.store) }
}

async function measureFile(
  inputs: BackgroundInputs & { docs: string },
  { signal }: Hooks,
): Promise<Background & { out: string }> {
  const { docs, out = backgroundFile(docs), seed, sample, dimensions, memory } = inputs
  const embeddings = await openEmbeddings(docs, { dimensions, memory })
  try {
    throwIfAborted(signal)
    const model = inputs.model ?? (await modelOf(docs))
    const made = await measureBackground(embeddings, { seed, sample, model })
    await writeAtomic(out, (write) => write(`${JSON.stringify(made)}\n`))
    await writeSidecar(out, 'background', { seed, sample, documents: made.documents }, [docs])
    return { ...made, out }
  } finally {
    await embeddings.close()
  }
}
