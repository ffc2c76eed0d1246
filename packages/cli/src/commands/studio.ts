import { join } from 'node:path'
import { openTextModel } from '@kith/server'
import { exportStudio, StudioCollection, startStudio } from '@kith/studio'
import { exportBytes, exportedFiles } from '@kith/studio/internal'
import { defineCommand, rare } from '../options/command.ts'
import { splitOption } from '../options/dataset-options.ts'
import { modelOptions, readModelOptions } from '../options/encoder-options.ts'
import { judgedFiles } from '../options/judged-collection.ts'
import {
  embeddingOptions,
  levelOption,
  readEmbeddingOptions,
  textOptions,
} from '../options/shared-options.ts'
import { readStudioFiles } from '../options/studio-files.ts'
import { UsageError } from '../options/usage-error.ts'
import { isSet, optionalBytes, optionalText, optionalWhole, sizeText } from '../options/values.ts'
import { openBrowser } from '../terminal/open-browser.ts'
import { aborted } from '../terminal/stop.ts'
import { tellExported } from '../terminal/tell-exported.ts'

/** `kith studio`: the page that shows why a ranking changes. */
export const studioCommand = defineCommand({
  name: 'studio',
  description:
    'Serves a page on this machine only, until it is stopped (Ctrl-C; exit code 0). The method runs\n' +
    'in the page: every slider answers at once. With texts (--corpus, --query-text) documents can be\n' +
    'read and their words count; with judgments (--qrels) everything is measured, labeled and\n' +
    'audited.\n' +
    'With the --model that encoded the documents, the page takes free text as well.\n' +
    'Without any file: the demo collection that npm run demo makes, in demo-output.\n' +
    '--export writes the page with a part of the collection instead: files for any web server, or\n' +
    'to be opened from the disk.',
  example:
    'kith studio --run run.trec --queries queries.npy --docs docs.npy --corpus corpus.jsonl --query-text queries.jsonl --qrels qrels.trec',
  dataset: { purpose: 'measure', files: judgedFiles },
  options: {
    run: { value: 'FILE', file: 'input', help: 'the run to look at' },
    queries: { value: 'FILE', file: 'input', help: 'embeddings of the queries' },
    docs: { value: 'FILE', file: 'input', help: 'embeddings of the documents' },
    ...textOptions,
    qrels: { value: 'FILE', file: 'input', help: 'judgments' },
    ...splitOption,
    ...levelOption,
    port: { value: 'N', help: 'where the page is served', default: '4810, or any that is free' },
    open: { help: 'open the page in the browser' },
    export: { value: 'FOLDER', file: 'output', help: 'write the page there, and serve nothing' },
    'export-size': {
      value: 'SIZE',
      help: 'roughly, of the part of the collection in it',
      default: sizeText(exportBytes),
    },
    ...rare(modelOptions),
    model: { ...modelOptions.model, default: 'none: no free text' },
    ...rare(embeddingOptions),
  },
  writes(values) {
    const folder = optionalText(values, 'export')
    return folder === undefined ? [] : exportedFiles.map((name) => join(folder, name))
  },
  async run(values, output, stop) {
    const files = readStudioFiles(values)
    const port = optionalWhole(values, 'port', { to: 65_535 })
    const level = optionalWhole(values, 'level')
    const folder = optionalText(values, 'export')
    const bytes = optionalBytes(values, 'export-size')
    const model = optionalText(values, 'model')
    if (folder !== undefined && model !== undefined) {
      throw new UsageError('an exported page has no encoder: leave out --model')
    }
    output.remark('opening the collection …')
    const { name, ...options } = readModelOptions(values)
    const collection = await StudioCollection.open(files, {
      ...readEmbeddingOptions(values),
      level,
      model: model === undefined ? undefined : await openTextModel(name, options),
    })
    try {
      if (folder !== undefined)
        return tellExported(output, await exportStudio(collection, folder, { bytes }))
      const studio = await startStudio(collection, port)
      output.result({ url: studio.url }, `Kith Studio: ${studio.url}`)
      if (isSet(values, 'open')) openBrowser(studio.url)
      await stop.heed(aborted)
      await studio.close()
    } finally {
      await collection.close()
    }
  },
})
