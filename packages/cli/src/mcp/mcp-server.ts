import { optionalPackage } from '@kith/ir/internal'
import type { Collection } from '@kith/pipelines'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'
import { version } from '../version.ts'

/** Characters of a query, which no encoder reads to the end. */
const LONGEST_QUERY = 2000
/** Characters of an id; stores keep ids of up to 1,000 bytes. */
const LONGEST_ID = 4096
/** Results of a search where the agent does not say how many, and the most that there can be. */
const USUAL_RESULTS = 5
const MOST_RESULTS = 50
/** Characters of a text among the results of a search, and on its own: agents pay for each. */
const LONGEST_EXCERPT = 2000
const LONGEST_TEXT = 100_000

/** Loads the SDK, which only this command needs. */
export async function loadSdk() {
  const load = async () => ({
    ...(await import('@modelcontextprotocol/sdk/server/mcp.js')),
    ...(await import('@modelcontextprotocol/sdk/server/stdio.js')),
  })
  return optionalPackage('kith mcp needs', '@modelcontextprotocol/sdk', load)
}

/**
 * A server of the Model Context Protocol that lets agents search a collection.
 *
 * @param opening The collection; calls that come before it is open wait for it.
 * @param about What the documents are, for the agent.
 */
export function mcpServer(
  { McpServer: Server }: Pick<Awaited<ReturnType<typeof loadSdk>>, 'McpServer'>,
  opening: Promise<Collection>,
  about = 'a collection of documents',
): McpServer {
  const server = new Server({ name: 'kith', version })
  const readOnly = { annotations: { readOnlyHint: true, openWorldHint: false } }
  server.registerTool(
    'search',
    {
      title: 'Search documents',
      description:
        `Searches ${about} for what fits a question or some words, by meaning and by words. ` +
        `Results come best first; texts of more than ${LONGEST_EXCERPT} characters are cut, and the tool document gives them whole.`,
      inputSchema: {
        query: z.string().trim().min(1).max(LONGEST_QUERY).describe('a question, or words'),
        top: z
          .int()
          .min(1)
          .max(MOST_RESULTS)
          .default(USUAL_RESULTS)
          .describe('how many documents to find'),
      },
      ...readOnly,
    },
    async ({ query, top }, { signal }) => {
      const collection = await opening
      const found = await collection.search(query, { top, signal })
      const results = found.map(({ id, title, text, score, reasons }) => ({
        id,
        title,
        text: text?.slice(0, LONGEST_EXCERPT),
        score: Number(score.toFixed(3)),
        matched: reasons.matched.map(({ term }) => term),
      }))
      return answer({ results })
    },
  )
  server.registerTool(
    'document',
    {
      title: 'Read a document',
      description: 'Gives the whole text of a document that a search has found.',
      inputSchema: { id: z.string().min(1).max(LONGEST_ID).describe('the id of a search result') },
      ...readOnly,
    },
    async ({ id }) => {
      const found = await (await opening).document(id)
      if (!found) throw new Error(`there is no document ${JSON.stringify(id)}`)
      return answer({ ...found, text: found.text?.slice(0, LONGEST_TEXT) })
    },
  )
  return server
}

/** An answer as data, and as JSON for clients that read texts only. */
function answer(structuredContent: Record<string, unknown>) {
  const text = JSON.stringify(structuredContent)
  return { structuredContent, content: [{ type: 'text' as const, text }] }
}
