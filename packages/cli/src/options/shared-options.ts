import type { TokenizerName } from '@kith/core'
import { checkTokenizer, tokenizerNames } from '@kith/core/internal'
import type { EvaluationOptions } from '@kith/ir'
import { formatByName } from '@kith/ir/internal'
import { parseMeasure } from '@kith/ir/measures'
import {
  jobDefaults,
  type MissingPolicy,
  missingPolicies,
  usualMeasures,
} from '@kith/pipelines/job'
import type { Shard } from '@kith/pipelines/labels'
import type { RerankInputs } from '@kith/pipelines/rerank'
import type { Options, Values } from './command.ts'
import {
  defaultText,
  isSet,
  optionalChoice,
  optionalText,
  optionalWhole,
  UsageError,
} from './values.ts'

/** The option for the lowest grade of a relevant document. */
export const levelOption = {
  level: {
    value: 'GRADE',
    help: 'lowest grade of a relevant document',
    default: defaultText(jobDefaults.level),
  },
} satisfies Options

/** Options for evaluating runs. */
export const evaluationOptions = {
  measures: {
    value: 'LIST',
    help: 'measures, separated by commas',
    default: defaultText(usualMeasures),
  },
  ...levelOption,
  strict: { help: 'give grades below --level no gain in nDCG (TREC Deep Learning)' },
  complete: { help: 'average over all judged queries; queries missing from a run count as 0' },
} satisfies Options

/** Returns the values of `evaluationOptions`. */
export function readEvaluationOptions(
  values: Values<typeof evaluationOptions>,
): EvaluationOptions & { measures: string[] } {
  const list = optionalText(values, 'measures')?.split(',')
  const measures = list?.map((name) => name.trim()) ?? [...usualMeasures]
  for (const name of measures) parseMeasure(name)
  return {
    measures,
    level: optionalWhole(values, 'level'),
    strict: isSet(values, 'strict'),
    complete: isSet(values, 'complete'),
  }
}

/** Options for the sources of texts. */
export const textOptions = {
  corpus: {
    value: 'FILE',
    file: 'input',
    help: 'document texts (BEIR JSONL, MS MARCO TSV, TREC or Parquet)',
  },
  'query-text': { value: 'FILE', file: 'input', help: 'query texts' },
} satisfies Options

/**
 * Returns the run of a command if it is a Parquet file, whose rows can contain document vectors and
 * texts.
 */
export function frameOf(values: object): string | undefined {
  const { run } = values as { run?: unknown }
  return typeof run === 'string' && formatByName(run) === 'parquet' ? run : undefined
}

/**
 * Reads the values of `textOptions`: both or none. A store and a Parquet run contain the documents'
 * texts themselves.
 */
export function readTexts(
  values: Values<typeof textOptions>,
  source: { docs?: string } | { store: string } = {},
): Pick<RerankInputs, 'corpus' | 'queryText' | 'defaultTokenizer'> {
  if (!('store' in source)) {
    const queryText = optionalText(values, 'query-text')
    const corpus = queryText === undefined ? undefined : frameOf(values)
    if (corpus !== undefined && values.corpus === undefined) return { corpus, queryText }
    const [documents, queries] = textFiles(values)
    const { defaultTokenizer } = values
    return { corpus: documents, queryText: queries, defaultTokenizer }
  }
  if (values.corpus === undefined) {
    return { corpus: undefined, queryText: optionalText(values, 'query-text') }
  }
  throw new UsageError(
    '--corpus cannot be combined with --store, which has the document texts; leave out --corpus',
  )
}

/** Reads the values of `textOptions`: both or none. */
export function textFiles(
  values: Values<typeof textOptions>,
): [string | undefined, string | undefined] {
  const corpus = optionalText(values, 'corpus')
  const queryText = optionalText(values, 'query-text')
  if ((corpus === undefined) === (queryText === undefined)) return [corpus, queryText]
  throw new UsageError('--corpus and --query-text must be given together')
}

/** Returns the option for queries and documents that lack an embedding or a text. */
export function missingOption(what: string, skipping = 'skip') {
  return {
    missing: {
      value: 'WHAT',
      help: `treatment of ${what} without embedding or text: error or ${skipping}`,
      default: jobDefaults.missing,
    },
  } satisfies Options
}

/** Returns the value of `missingOption`. */
export function readMissing(
  values: Values<ReturnType<typeof missingOption>>,
): MissingPolicy | undefined {
  return optionalChoice(values, 'missing', missingPolicies)
}

/** The option for the number of worker threads. */
export const workerOption = {
  workers: {
    value: 'N',
    help: 'number of worker threads; results do not depend on the number',
    default: 'all cores',
  },
} satisfies Options

/**
 * Returns the options of commands that join a run with embeddings: missing embeddings, and threads.
 */
export function joinOptions(what: string, skipping?: string) {
  return {
    ...missingOption(what, skipping),
    ...workerOption,
  } satisfies Options
}

/** Returns the values of `joinOptions`. */
export function readJoinOptions(values: Values<ReturnType<typeof joinOptions>>) {
  return {
    missing: readMissing(values),
    workers: optionalWhole(values, 'workers'),
  }
}

/** The part of the queries that a process works on. */
export const shardOption = {
  shard: {
    value: 'I/N',
    help: 'process one shard of the queries, such as 3/16',
    default: 'all queries',
  },
} satisfies Options

/** Reads the shard that `--shard` names. */
export function readShard(values: Values<typeof shardOption>): Shard {
  const given = optionalText(values, 'shard') ?? '1/1'
  const match = /^(\d{1,6})\/(\d{1,6})$/.exec(given)
  const [index, count] = [Number(match?.[1]), Number(match?.[2])]
  if (index >= 1 && index <= count) return { index, count }
  throw new UsageError(`--shard must be I/N, such as 3/16, got ${JSON.stringify(given)}`)
}

/** Returns the option for the tokenizer of a corpus. */
export function tokenizerOption(defaultName: string) {
  return {
    tokenizer: {
      value: 'NAME',
      help: `tokenizer: ${tokenizerNames.join(', ')}, code, a language, or auto to detect it from the texts`,
      default: defaultName,
    },
  } satisfies Options
}

/** Reads the tokenizer that the option names. */
export function readTokenizer(
  values: Values<ReturnType<typeof tokenizerOption>>,
): TokenizerName | 'auto' | undefined {
  const name = optionalText(values, 'tokenizer')
  if (name !== undefined) checkTokenizer('tokenizer', name)
  return (name as TokenizerName | 'auto' | undefined) ?? values.defaultTokenizer
}
