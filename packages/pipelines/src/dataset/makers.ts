import { KithError, type PartialMethodSettings, type TokenizerName } from '@kith/core'
import type { EncodeInputs } from '../encode/encode-texts.ts'
import type { Hooks } from '../job/hooks.ts'
import type { SearchInputs } from '../search/search-run.ts'
import type { TermStatisticsInputs } from '../terms/collect-term-statistics.ts'
import type { RoleName } from './roles.ts'

/**
 * The inputs for making a file; the settings are the settings of an earlier version of the file, if
 * any.
 */
interface Making {
  settings: Readonly<Record<string, unknown>>
  /** Returns the tokenizer of the dataset's texts. */
  tokenizer(): Promise<TokenizerName | undefined>
  hooks: Hooks
}

/** Makes a file of a dataset from its input files, in the order of the table of roles. */
type Maker = (out: string, inputs: readonly string[], making: Making) => Promise<unknown>

/** The functions that make files when a command needs them. Each job is loaded when it runs. */
export const makers: Readonly<Partial<Record<RoleName, Maker>>> = {
  documentEmbeddings: (out, [input], making) => encode(out, input!, 'document', making),
  queryEmbeddings: (out, [input], making) => encode(out, input!, 'query', making),
  run: async (out, [queries, docs], { settings, hooks }) => {
    const { searchRun } = await import('../search/search-run.ts')
    const { top, metric } = settings as Pick<SearchInputs, 'top' | 'metric'>
    await searchRun({ queries: queries!, docs: docs!, out, top, metric }, hooks)
  },
  reranked: async (
    out,
    [run, queries, docs, corpus, queryText],
    { settings, tokenizer, hooks },
  ) => {
    const { rerankRun } = await import('../rerank/rerank-run.ts')
    const files = {
      run: run!,
      queries: queries!,
      docs: docs!,
      corpus: corpus!,
      queryText: queryText!,
    }
    const defaultTokenizer = await tokenizer()
    await rerankRun({ ...files, out, settings: methodOf(settings), defaultTokenizer }, hooks)
  },
  termStatistics: async (out, [corpus], { settings, hooks }) => {
    const { collectTermStatistics } = await import('../terms/collect-term-statistics.ts')
    const { tokenizer = 'auto' } = settings as Pick<TermStatisticsInputs, 'tokenizer'>
    await collectTermStatistics({ corpus: corpus!, out, tokenizer }, hooks)
  },
}

/**
 * Returns the method settings in the sidecar of a run; throws for other settings, which cannot be
 * repeated.
 */
function methodOf(settings: Readonly<Record<string, unknown>>): PartialMethodSettings {
  const { missing, texts, again, statistics, thenCrossEncode, ...method } = settings
  if (again !== true && thenCrossEncode === undefined && method['verdict'] === undefined) {
    return method
  }
  const problem =
    'the reranked run is out of date, and Kith cannot make it again with the settings of that run'
  throw new KithError('BAD_INPUT', `${problem}; run kith rerank again`)
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
