import { loadStore } from '@kith/pipelines/load'
import { defineCommand } from '../options/command.ts'
import { embeddingOptions, readEmbeddingOptions } from '../options/shared-options.ts'
import { isSet, optionalChoice, optionalText, text } from '../options/values.ts'

/** `kith load`: embeddings and texts into a store. */
export const loadCommand = defineCommand({
  name: 'load',
  description:
    'Loads embeddings, and with --corpus the texts, into a store: postgres://user@host/database\n' +
    '(with pgvector), a folder or an object storage URL for LanceDB. #name behind it names one of\n' +
    'several collections. Documents that are there already are replaced, so that a load that was\n' +
    'stopped can be started again. The terms of the texts are counted on the way, for kith rerank\n' +
    'and kith serve with this store.',
  example:
    'kith load --store postgres://localhost/kith --docs docs.npy --corpus corpus.jsonl --index',
  options: {
    store: { value: 'ADDRESS', file: 'output', help: 'where the documents go', required: true },
    docs: { value: 'FILE', file: 'input', help: 'embeddings of the documents', required: true },
    corpus: {
      value: 'FILE',
      file: 'input',
      help: 'texts of the documents (BEIR, MS MARCO or TREC)',
    },
    type: { value: 'TYPE', help: 'f32, or f16 for half the space', default: 'that of --docs' },
    metric: { value: 'NAME', help: 'what the index is for: dot or cosine', default: 'dot' },
    index: { help: 'build an approximate index when all is loaded, and one of the words of texts' },
    ...embeddingOptions,
  },
  async run(values, output, stop) {
    const inputs = {
      ...readEmbeddingOptions(values),
      store: text(values, 'store'),
      docs: text(values, 'docs'),
      corpus: optionalText(values, 'corpus'),
      type: optionalChoice(values, 'type', ['f16', 'f32']),
      metric: optionalChoice(values, 'metric', ['dot', 'cosine']),
      index: isSet(values, 'index'),
    }
    const result = await stop.heed((signal) => loadStore(inputs, output.hooks(signal)), {
      onStop: () => output.remark('stopping: finishing the documents under way'),
      next: 'start the same command again: documents that are there already are replaced',
    })
    const { loaded, documents, seconds } = result
    output.result(
      { loaded, documents, seconds },
      `${loaded} documents loaded in ${seconds.toFixed(1)} s; the store has ${documents}`,
    )
  },
})
