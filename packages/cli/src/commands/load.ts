import { type Embeddings, FileError, openEmbeddings, TextStore } from '@kith/ir'
import { openStore, type StoreDocument } from '@kith/stores'
import { unstorable } from '@kith/stores/postgres'
import { defineCommand } from '../options/command.ts'
import { embeddingOptions, readEmbeddingOptions } from '../options/shared-options.ts'
import { isSet, optionalChoice, optionalText, text } from '../options/values.ts'

/** Rows that are read at a time. */
const BLOCK = 1024

/** `kith load`: embeddings and texts into a store. */
export const loadCommand = defineCommand({
  name: 'load',
  summary: 'put documents into PostgreSQL or LanceDB',
  description:
    'Loads embeddings, and with --corpus the texts, into a store: postgres://user@host/database\n' +
    '(with pgvector), a folder or an object storage URL for LanceDB. #name behind it names one of\n' +
    'several collections. Documents that are there already are replaced, so that a load that was\n' +
    'stopped can be started again.',
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
    index: { help: 'build an approximate index when all is loaded' },
    ...embeddingOptions,
  },
  async run(values, output, stop) {
    const docs = await openEmbeddings(text(values, 'docs'), readEmbeddingOptions(values))
    const corpus = optionalText(values, 'corpus')
    let texts: TextStore | undefined
    try {
      if (corpus !== undefined) texts = await TextStore.open(corpus)
      const store = await openStore(text(values, 'store'), {
        type: optionalChoice(values, 'type', ['f16', 'f32']) ?? docs.type,
        metric: optionalChoice(values, 'metric', ['dot', 'cosine']),
      })
      try {
        const start = performance.now()
        const progress = output.progress('loading', docs.rows)
        const isNew = (await store.count()) === 0
        await stop
          .heed(
            (signal) => {
              const documents = documentsOf(docs, texts, corpus, (done) => {
                progress.update(done)
                signal.throwIfAborted()
              })
              return isNew ? store.add(documents) : store.replace(documents)
            },
            {
              onStop: () => output.remark('stopping: finishing the documents under way'),
              next: 'start the same command again: documents that are there already are replaced',
            },
          )
          .finally(() => progress.end())
        if (isSet(values, 'index')) {
          output.remark('building the index …')
          await store.index?.()
        }
        const seconds = (performance.now() - start) / 1000
        const count = await store.count()
        output.result(
          { loaded: docs.rows, documents: count, seconds },
          `${docs.rows} documents loaded in ${seconds.toFixed(1)} s; the store has ${count}`,
        )
      } finally {
        await store.close()
      }
    } finally {
      await docs.close()
      await texts?.close()
    }
  },
})

function* documentsOf(
  docs: Embeddings,
  texts: TextStore | undefined,
  corpus: string | undefined,
  onDone: (done: number) => void,
): Generator<StoreDocument> {
  for (let from = 0; from < docs.rows; from += BLOCK) {
    const to = Math.min(from + BLOCK, docs.rows)
    const block = docs.read(from, to)
    for (let row = from; row < to; row++) {
      const id = docs.idOf(row)
      const at = (row - from) * docs.dimensions
      const { title, text: body } = texts?.get(id) ?? {}
      const flaw = unstorable(title ?? '') ?? unstorable(body ?? '')
      if (flaw) throw new FileError(corpus!, `document ${JSON.stringify(id)}`, `its text ${flaw}`)
      yield { id, vector: block.subarray(at, at + docs.dimensions), title, text: body }
    }
    onDone(to)
  }
}
