import { z } from 'zod'
import type { Route } from './route.ts'

const JSON_TYPE = 'application/json'

/** Statuses that a request can be answered with, besides 200. */
const PROBLEMS: Readonly<Record<number, string>> = {
  400: 'The body is not JSON.',
  401: 'The key is missing or wrong.',
  413: 'The body, a text or the number of documents is too large.',
  422: 'A field is missing or wrong.',
  429: 'There is too much to do: come again after the time in Retry-After.',
  503: 'It took too long, or the server is stopping.',
}

/** The description of a server in OpenAPI 3.1. */
export function openApi(routes: readonly Route[]): object {
  const paths = routes.map(({ path, summary, body, answer, errors }) => [
    path,
    {
      post: {
        summary,
        security: [{}, { key: [] }, { azure: [] }],
        requestBody: { required: true, content: json(schema(body, 'input')) },
        responses: {
          200: { description: 'The answer.', content: json(schema(answer, 'output')) },
          ...Object.fromEntries(
            Object.entries(PROBLEMS).map(([status, description]) => [
              status,
              { description, content: json({ examples: [errors(Number(status), description)] }) },
            ]),
          ),
        },
      },
    },
  ])
  const text = (summary: string, type: string) => ({
    get: { summary, responses: { 200: { description: summary, content: { [type]: {} } } } },
  })
  return {
    openapi: '3.1.0',
    info: {
      title: 'kith serve',
      version: '1',
      description: 'Reranking by reciprocal nearest neighbors, in protocols that clients know.',
    },
    paths: {
      ...Object.fromEntries(paths),
      '/info': text('The model and limits, as text-embeddings-inference tells them.', JSON_TYPE),
      '/v1/models': text('The model, as OpenAI lists its own.', JSON_TYPE),
      '/healthz': text('Whether the server takes requests.', JSON_TYPE),
      '/metrics': text('Figures for Prometheus.', 'text/plain'),
    },
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer' },
        azure: { type: 'apiKey', in: 'header', name: 'api-key' },
      },
    },
  }
}

function json(schema: object): object {
  return { [JSON_TYPE]: { schema } }
}

function schema(type: z.ZodType, io: 'input' | 'output'): object {
  const { $schema: _, ...described } = z.toJSONSchema(type, { io })
  return described
}
