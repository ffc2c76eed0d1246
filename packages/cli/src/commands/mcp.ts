import { once } from 'node:events'
import { openCollection } from '@kith/pipelines/collection'
import { loadSdk, mcpServer } from '../mcp/mcp-server.ts'
import { defineCommand } from '../options/command.ts'
import { encoderOptions, readEncoderOptions } from '../options/encoder-options.ts'
import { UsageError } from '../options/usage-error.ts'
import { optionalText } from '../options/values.ts'
import { aborted } from '../terminal/stop.ts'

/** `kith mcp`: search for agents, over standard input and output. */
export const mcpCommand = defineCommand({
  name: 'mcp',
  description:
    'A server of the Model Context Protocol with two tools: search finds the documents that fit a\n' +
    'question by meaning and by words, document gives one’s whole text. Clients start it themselves,\n' +
    'by a line in their configuration, and talk to it over standard input and output; it ends with\n' +
    'them, or on a signal (exit code 0). It needs the package @modelcontextprotocol/sdk. Embeddings\n' +
    'of a folder are kept for the next start, so that only new and changed passages are encoded then.',
  example: 'kith mcp --folder notes --about "notes about bees"',
  options: {
    folder: {
      value: 'FOLDER',
      file: 'input',
      help: 'search the Markdown files in a folder and the folders in it',
    },
    store: {
      value: 'ADDRESS',
      file: 'input',
      help: 'search documents: a file of embeddings, a LanceDB folder, postgres://…',
    },
    corpus: {
      value: 'FILE',
      file: 'input',
      help: 'texts of the documents, where the store has none',
    },
    about: { value: 'TEXT', help: 'what the documents are, for the agent' },
    ...encoderOptions,
  },
  async run(values, output, stop) {
    const [folder, store] = [optionalText(values, 'folder'), optionalText(values, 'store')]
    if ((folder === undefined) === (store === undefined)) {
      throw new UsageError('give --folder FOLDER or --store ADDRESS')
    }
    const corpus = optionalText(values, 'corpus')
    const sdk = await loadSdk()
    await stop.heed(async (stopped) => {
      const quit = new AbortController()
      const signal = AbortSignal.any([stopped, quit.signal])
      const inputs = { ...readEncoderOptions(values), folder, store, corpus }
      // Clients do not wait long for the first answer, and a large folder takes a while to encode.
      const opening = openCollection(inputs, output.hooks(signal))
      const server = mcpServer(sdk, opening, optionalText(values, 'about'))
      server.server.onerror = (error) => output.remark(`kith mcp: ${error.message}`)
      const closed = new Promise<void>((resolve) => {
        server.server.onclose = resolve
      })
      const ended = Promise.race([once(process.stdin, 'end'), closed, aborted(stopped)])
      try {
        await server.connect(new sdk.StdioServerTransport())
        await Promise.race([ended, opening.then(() => ended)])
      } finally {
        quit.abort()
        await server.close()
        const collection = await opening.catch(() => undefined)
        await collection?.close()
      }
    })
  },
})
