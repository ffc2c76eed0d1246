import type { EncodeInputs } from '../encode/encode-texts.ts'
import type { Hooks } from '../hooks.ts'
import type { SearchInputs } from '../search/search-run.ts'
import type { RoleName } from './roles.ts'

/** How a file is made: with the settings of an earlier one, where there was one. */
interface Making {
  settings: Readonly<Record<string, unknown>>
  hooks: Hooks
}

/** Makes a file of a dataset from the files of the roles that the table of roles names, in their order. */
type Maker = (out: string, inputs: readonly string[], making: Making) => Promise<unknown>

/** The files that are made wherever a command needs them. Jobs are loaded when they are run. */
export const makers: Readonly<Partial<Record<RoleName, Maker>>> = {
  documentEmbeddings: (out, [input], making) => encode(out, input!, 'document', making),
  queryEmbeddings: (out, [input], making) => encode(out, input!, 'query', making),
  run: async (out, [queries, docs], { settings, hooks }) => {
    const { searchRun } = await import('../search/search-run.ts')
    const { top, metric } = settings as Pick<SearchInputs, 'top' | 'metric'>
    await searchRun({ queries: queries!, docs: docs!, out, top, metric }, hooks)
  },
  termStatistics: async (out, [corpus], { hooks }) => {
    const { collectTerms } = await import('../terms/collect-terms.ts')
    await collectTerms({ corpus: corpus!, out }, hooks)
  },
}

async function encode(
  out: string,
  input: string,
  role: 'document' | 'query',
  { settings, hooks }: Making,
): Promise<void> {
  const { encodeTexts } = await import('../encode/encode-texts.ts')
  const {
    dimensions: _,
    role: __,
    ...encoder
  } = settings as Partial<EncodeInputs> & {
    dimensions?: number
  }
  hooks.onRemark?.(`encoding ${input} with ${encoder.model}`)
  await encodeTexts({ ...encoder, input, out, role }, hooks)
}
