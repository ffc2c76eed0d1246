import { loadStore } from '@kith/pipelines/load'
import { defineCommand } from '../options/command.ts'
import { readTokenizer, tokenizerOption } from '../options/shared-options.ts'
import { isSet, optionalChoice, optionalText, text } from '../options/values.ts'

/** `kith load`: loads embeddings and texts into a store. */
export const loadCommand = defineCommand({
  name: 'load',
  description:
    'Loads embeddings, and with --corpus the texts, into a store: postgres://user@host/database (with\n' +
    'pgvector), or a LanceDB folder or object storage URL. #name after the address selects one of\n' +
    'several collections. Replaces documents that are already in the store, so you can run a stopped\n' +
    'load again. Counts the terms of the texts while loading; every command that reads the store uses\n' +
    'the tokenizer of this count.',
  example:
    'kith load --store postgres://localhost/kith --docs docs.npy --corpus corpus.jsonl --index',
  options: {
    store: { value: 'ADDRESS', file: 'output', help: 'store to load into', required: true },
    docs: { value: 'FILE', file: 'input', help: 'document embeddings', required: true },
    corpus: {
      value: 'FILE',
      file: 'input',
      help: 'document texts (BEIR JSONL, MS MARCO TSV, TREC or Parquet)',
    },
    type: {
      value: 'TYPE',
      help: 'number type: f32, or f16 for half the size',
      default: 'same as --docs',
    },
    metric: { value: 'NAME', help: 'metric of the index: dot or cosine', default: 'dot' },
    ...tokenizerOption('the tokenizer of the store, or english for a new store'),
    index: { help: 'build an approximate vector index and a full-text index after loading' },
  },
  async run(values, output, stop) {
    const inputs = {
      store: text(values, 'store'),
      docs: text(values, 'docs'),
      corpus: optionalText(values, 'corpus'),
      type: optionalChoice(values, 'type', ['f16', 'f32']),
      metric: optionalChoice(values, 'metric', ['dot', 'cosine']),
      tokenizer: readTokenizer(values),
      index: isSet(values, 'index'),
    }
    const result = await stop.untilStopped((signal) => loadStore(inputs, output.hooks(signal)), {
      onStop: () => output.remark('stopping: finishing the current documents'),
      next: 'run the same command again; documents that are already loaded are replaced',
    })
    const { loaded, documents, seconds } = result
    output.result(
      { loaded, documents, seconds },
      `${loaded} documents loaded in ${seconds.toFixed(1)} s; the store has ${documents}`,
    )
  },
})
