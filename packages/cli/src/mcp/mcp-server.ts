import { optionalPackage } from '@kith/base'
import type { Collection, CollectionDocument } from '@kith/pipelines/collection'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'
import { version } from '../command-list.ts'

/** Maximum length of a query in characters; no encoder reads this far. */
const LONGEST_QUERY = 2000
/** Maximum length of an id in characters; stores keep ids of up to 1,000 bytes. */
const LONGEST_ID = 4096
/** The default and the maximum number of search results. */
const USUAL_RESULTS = 5
const MOST_RESULTS = 50
/**
 * Maximum length in characters of a text in search results, and of a single document's text: every
 * character costs the agent.
 */
const LONGEST_EXCERPT = 2000
const LONGEST_TEXT = 100_000
/** Maximum length of a title in characters; titles in a store may have any length. */
const LONGEST_TITLE = 500
/** Maximum size in bytes of search results as JSON; ids in a store may have any length, too. */
const MOST_BYTES = 2 ** 20

/** A query whose on-topic probability is below this gets no results, with this reason. */
const ON_TOPIC = 0.5
const OFF = 'the query is probably off topic: the documents have nothing about it'

/** Loads the SDK, which only this command needs. */
export async function loadSdk() {
  const load = async () => ({
    ...(await import('@modelcontextprotocol/sdk/server/mcp.js')),
    ...(await import('@modelcontextprotocol/sdk/server/stdio.js')),
  })
  return optionalPackage('kith mcp needs', '@modelcontextprotocol/sdk', load)
}

/**
 * Creates a Model Context Protocol server that lets agents search a set of documents.
 *
 * @param opening The documents; calls that arrive before they are open wait.
 * @param about A description of the documents, for the agent.
 */
export function mcpServer(
  { McpServer: Server }: Pick<Awaited<ReturnType<typeof loadSdk>>, 'McpServer'>,
  opening: Promise<Collection>,
  about = 'a set of documents',
): McpServer {
  const server = new Server({ name: 'kith', version: version() })
  const readOnly = { annotations: { readOnlyHint: true, openWorldHint: false } }
  server.registerTool(
    'search',
    {
      title: 'Search documents',
      description:
        `Searches ${about} by meaning and by words. ` +
        `Results come best first; "relevance" is the estimated probability that a result is relevant, and an empty list with a "reason" means that the documents have nothing about the query. A result with "truncated": true has a title of more than ${LONGEST_TITLE} or a text of more than ${LONGEST_EXCERPT} characters and is cut; the tool document returns the whole text. ` +
        '"omitted" is the number of last results left out because the answer would be too large.',
      inputSchema: {
        query: z.string().trim().min(1).max(LONGEST_QUERY).describe('a question or keywords'),
        top: z
          .int()
          .min(1)
          .max(MOST_RESULTS)
          .default(USUAL_RESULTS)
          .describe('number of documents to return'),
      },
      ...readOnly,
    },
    async ({ query, top }, { signal }) => {
      const collection = await opening
      const onTopic = collection.estimatesRelevance ? ON_TOPIC : undefined
      const found = await collection.search(query, { topN: top, signal, onTopic })
      if (found.length === 0 && onTopic !== undefined) return answer({ results: [], reason: OFF })
      const results = found.map(({ score, similarity, relevance, reasons, ...document }) => ({
        ...truncate(document, LONGEST_EXCERPT),
        score: Number(score.toFixed(3)),
        ...(similarity === undefined ? {} : { similarity: Number(similarity.toFixed(3)) }),
        ...(relevance === undefined ? {} : { relevance: Number(relevance.toFixed(3)) }),
        matched: reasons.matched.map(({ term }) => term),
      }))
      return answer(fitting(results))
    },
  )
  server.registerTool(
    'document',
    {
      title: 'Read a document',
      description:
        'Returns the text of a document that a search has found, or a whole file by its path: if the id of a result is "bees.md:12", the path is "bees.md". ' +
        `A text of more than ${LONGEST_TEXT} characters is cut, and "truncated" is true.`,
      inputSchema: {
        id: z.string().min(1).max(LONGEST_ID).describe('id of a search result, or path of a file'),
      },
      ...readOnly,
    },
    async ({ id }) => {
      const found = await (await opening).document(id)
      if (!found)
        throw new Error(
          `no document has the id ${JSON.stringify(id)}; use the id of a search result, or the path of a file in it`,
        )
      return answer(truncate(found, LONGEST_TEXT))
    },
  )
  return server
}

/** Truncates a document's title and text, and says whether they were truncated. */
function truncate({ id, title, text }: CollectionDocument, longest: number) {
  const cut = (given: string | undefined, most: number) =>
    // Does not split a surrogate pair.
    given && given.length > most ? given.slice(0, most).replace(/[\ud800-\udbff]$/, '') : given
  const shown = { id, title: cut(title, LONGEST_TITLE), text: cut(text, longest) }
  const whole = shown.title === title && shown.text === text
  return whole ? shown : { ...shown, truncated: true }
}

/** Returns the first results that fit into an answer, and how many are omitted. */
function fitting(results: readonly object[]): { results: object[]; omitted?: number } {
  let bytes = 0
  const beyond = results.findIndex((result) => {
    bytes += Buffer.byteLength(JSON.stringify(result))
    return bytes > MOST_BYTES
  })
  if (beyond < 0) return { results: [...results] }
  return { results: results.slice(0, beyond), omitted: results.length - beyond }
}

/** Builds an answer as structured data, and as JSON for clients that read text only. */
function answer(structuredContent: Record<string, unknown>) {
  const text = JSON.stringify(structuredContent)
  return { structuredContent, content: [{ type: 'text' as const, text }] }
}
