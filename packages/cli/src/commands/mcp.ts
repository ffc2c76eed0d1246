import { once } from 'node:events'
import { openCollection } from '@kith/pipelines/collection'
import { loadSdk, mcpServer } from '../mcp/mcp-server.ts'
import { defineCommand } from '../options/command.ts'
import { encoderOptions, readEncoderOptions } from '../options/encoder-options.ts'
import { readTokenizer, tokenizerOption } from '../options/shared-options.ts'
import { optionalText, UsageError } from '../options/values.ts'
import { aborted } from '../terminal/stop.ts'

/** `kith mcp`: serves search to agents over standard input and output. */
export const mcpCommand = defineCommand({
  name: 'mcp',
  description:
    'Starts a Model Context Protocol server with two tools: search finds documents by meaning and by\n' +
    'words, document returns the whole text of a document or of a file in the folder. MCP clients start\n' +
    'this command from their configuration and talk to it over standard input and output; the server\n' +
    'exits with its client or on a signal (exit code 0). Needs the package @modelcontextprotocol/sdk.\n' +
    'Keeps the embeddings of a folder, so that the next start encodes new and changed passages only.',
  example: 'kith mcp --folder notes --about "notes about bees"',
  options: {
    folder: {
      value: 'FOLDER',
      file: 'input',
      help: 'folder of Markdown files to search, with its subfolders',
    },
    store: {
      value: 'ADDRESS',
      file: 'input',
      help: 'documents to search: a file of embeddings, a LanceDB folder, or postgres://…',
    },
    corpus: {
      value: 'FILE',
      file: 'input',
      help: 'document texts, if the store has none',
    },
    about: { value: 'TEXT', help: 'description of the documents for the agent' },
    ...tokenizerOption('the tokenizer of the store, or english'),
    ...encoderOptions,
  },
  async run(values, output, stop) {
    const [folder, store] = [optionalText(values, 'folder'), optionalText(values, 'store')]
    if ((folder === undefined) === (store === undefined)) {
      throw new UsageError('exactly one of --folder FOLDER and --store ADDRESS is required')
    }
    const corpus = optionalText(values, 'corpus')
    const settings = { tokenizer: readTokenizer(values) }
    const sdk = await loadSdk()
    await stop.untilStopped(async (stopped) => {
      const quit = new AbortController()
      const signal = AbortSignal.any([stopped, quit.signal])
      const inputs = { ...readEncoderOptions(values), folder, store, corpus, settings }
      // Clients do not wait long for the first answer, and encoding a large folder takes a while.
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
