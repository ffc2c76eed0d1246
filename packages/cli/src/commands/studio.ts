import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { openTextModel } from '@kith/server'
import { exportStudio, StudioCollection, type StudioExport, startStudio } from '@kith/studio'
import { exportedFiles } from '@kith/studio/internal'
import { defineCommand } from '../options/command.ts'
import { readModelOptions } from '../options/encoder-options.ts'
import { judgedFiles } from '../options/judged-options.ts'
import { readEmbeddingOptions } from '../options/shared-options.ts'
import { readStudioFiles, studioOptions } from '../options/studio-options.ts'
import { UsageError } from '../options/usage-error.ts'
import { isSet, optionalBytes, optionalText, optionalWhole } from '../options/values.ts'
import { aborted } from '../terminal/stop.ts'

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
  options: studioOptions,
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
      if (folder !== undefined) {
        const made = await exportStudio(collection, folder, { bytes })
        return output.result(made, contentsOf(made))
      }
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

/** The contents of an exported studio, for people. */
function contentsOf({ folder, queries, documents, bytes }: StudioExport): string {
  const contents = `${queries} queries, ${documents} documents, ${(bytes / 1e6).toFixed(1)} MB`
  return `${join(folder, 'index.html')}: ${contents}`
}

/** Opens an address in the system's browser; a failure is ignored, since the address was printed. */
function openBrowser(url: string): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '', url]
        : ['xdg-open', url]
  const child = spawn(command!, args, { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}
