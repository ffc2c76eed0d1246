import { QueryAdapter } from '@kith/base/query-adapter'
import type { SearchStore } from '@kith/stores/internal'
import type { AnyEncoder, NamedEncoder } from '../encode/encode-texts.ts'

/**
 * The encoder of a collection, whose queries an adapter changes. An adapter that was fitted to
 * another model or another corpus is refused.
 *
 * @param folder The folder of the adapter; undefined: queries stay unchanged.
 */
export async function adaptedEncoder(
  folder: string | undefined,
  { encoder, model }: NamedEncoder,
  store: SearchStore,
): Promise<Pick<AnyEncoder, 'encode' | 'close'>> {
  if (folder === undefined) return encoder
  const adapter = await QueryAdapter.open(folder)
  const name = model['model'] as string | undefined
  adapter.checkModel({ name, dimensions: encoder.dimensions })
  await adapter.checkDocuments(async (ids) => {
    const found = await store.fetch(ids, { vectors: true, texts: false })
    return found.map((document) => document?.vector)
  })
  return {
    async encode(texts, options) {
      const made = await encoder.encode(texts, options)
      const { data, dimensions } = made
      for (let at = 0; at < data.length; at += dimensions) {
        data.set(adapter.apply(data.subarray(at, at + dimensions)), at)
      }
      return made
    },
    close: () => encoder.close(),
  }
}
