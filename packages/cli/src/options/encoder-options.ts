import { endpointKey } from '@kith/base/endpoint'
import { jobDefaults } from '@kith/pipelines/job'
import type { Options, Values } from './command.ts'
import { isSet, optionalChoice, optionalText, optionalWhole, UsageError } from './values.ts'

/** Options that name a model. */
export const modelOptions = {
  model: {
    value: 'MODEL',
    file: 'input',
    help: 'model: minilm, a folder with safetensors or model.onnx, or a name on the Hugging Face hub',
    default: jobDefaults.model,
  },
  pooling: {
    rare: true,
    value: 'KIND',
    help: 'pooling: mean (RepBERT, E5) or first (TAS-B, CoCondenser, BGE)',
    default: 'from the model’s files',
  },
  'unit-length': {
    rare: true,
    help: 'scale embeddings to length 1 if the model’s files do not say',
  },
  'max-tokens': {
    value: 'N',
    help: 'truncate texts to this many tokens',
    default: 'from the model’s files',
  },
  'query-prefix': {
    rare: true,
    value: 'TEXT',
    help: 'prefix of queries, such as "query: " for E5',
  },
  revision: {
    rare: true,
    value: 'NAME',
    help: 'branch, tag or commit of a model on the hub',
    default: 'main',
  },
} satisfies Options

/** The options of the encoder. */
export const encoderOptions = {
  ...modelOptions,
  'embed-url': {
    value: 'URL',
    help: `OpenAI-compatible embeddings endpoint to use instead of the built-in encoder, with its --model; key in ${endpointKey}`,
  },
  'document-prefix': {
    rare: true,
    value: 'TEXT',
    help: 'prefix of documents, such as "passage: " for E5',
  },
  threads: {
    value: 'N',
    help: 'CPU threads; embeddings do not depend on the number',
    default: 'all',
  },
} satisfies Options

/** Returns the values of `modelOptions`. */
export function readModelOptions(values: Values<typeof modelOptions>) {
  return {
    name: optionalText(values, 'model') ?? jobDefaults.model,
    pooling: optionalChoice(values, 'pooling', ['mean', 'first']),
    normalize: isSet(values, 'unit-length') ? true : undefined,
    maxTokens: optionalWhole(values, 'max-tokens'),
    queryPrefix: optionalText(values, 'query-prefix'),
    revision: optionalText(values, 'revision'),
  }
}

/** Returns the values of `encoderOptions`. */
export function readEncoderOptions(values: Values<typeof encoderOptions>) {
  const { name, ...options } = readModelOptions(values)
  const embedUrl = optionalText(values, 'embed-url')
  if (embedUrl !== undefined && values.model === undefined) {
    throw new UsageError('--embed-url needs --model: the name of the endpoint’s model')
  }
  return {
    model: name,
    embedUrl,
    ...options,
    documentPrefix: optionalText(values, 'document-prefix'),
    threads: optionalWhole(values, 'threads'),
  }
}
