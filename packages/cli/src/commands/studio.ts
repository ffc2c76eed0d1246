import { join } from 'node:path'
import { openTextModel } from '@kith/server'
import { exportStudio, StudioCollection, type StudioExport, startStudio } from '@kith/studio'
import { exportedFiles } from '@kith/studio/internal'
import { defineCommand } from '../options/command.ts'
import { judgedFiles } from '../options/judged-options.ts'
import { readStudio, studioOptions } from '../options/studio-options.ts'
import { optionalText } from '../options/values.ts'
import { openBrowser } from '../terminal/output.ts'
import { aborted } from '../terminal/stop.ts'

/** `kith studio`: the page that shows why a ranking changes. */
export const studioCommand = defineCommand({
  name: 'studio',
  description:
    'Serves a page on this machine until you stop it (Ctrl-C; exit code 0). Reranking runs in the page,\n' +
    'so every slider responds at once. With texts (--corpus, --query-text) the page shows documents and\n' +
    'includes BM25 scores; with judgments (--qrels) it shows measures, labels and missing judgments.\n' +
    'With the --model that encoded the documents, the page accepts free-text queries.\n' +
    'Without any file, opens the demo dataset that npm run demo writes to demo-output.\n' +
    '--export writes the page with part of the dataset to a folder, for any web server or for opening\n' +
    'from disk.',
  example:
    'kith studio --run run.trec --queries queries.npy --docs docs.npy --corpus corpus.jsonl --query-text queries.jsonl --qrels qrels.trec',
  dataset: { purpose: 'measure', files: judgedFiles },
  options: studioOptions,
  writes(values) {
    const folder = optionalText(values, 'export')
    return folder === undefined ? [] : exportedFiles.map((name) => join(folder, name))
  },
  read: readStudio,
  async run({ files, level, model, port, open, folder, bytes }, output, stop) {
    output.remark('opening the dataset …')
    const collection = await StudioCollection.open(files, {
      level,
      model: model && (await openTextModel(model.name, model.options)),
    })
    try {
      if (folder !== undefined) {
        const made = await exportStudio(collection, folder, { bytes })
        return output.result(made, contentsOf(made))
      }
      const studio = await startStudio(collection, port)
      output.result({ url: studio.url }, `Kith Studio: ${studio.url}`)
      if (open) openBrowser(studio.url)
      await stop.untilStopped(aborted)
      await studio.close()
    } finally {
      await collection.close()
    }
  },
})

/** Describes the contents of an exported studio. */
function contentsOf({ folder, queries, documents, bytes }: StudioExport): string {
  const contents = `${queries} queries, ${documents} documents, ${(bytes / 1e6).toFixed(1)} MB`
  return `${join(folder, 'index.html')}: ${contents}`
}
